// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.io.IOException;

/** The engine does not know what a request is about, or not any more. */
final class UnknownException extends IOException {
  private static final long serialVersionUID = 1L;

  UnknownException(String message) {
    super(message);
  }
}
