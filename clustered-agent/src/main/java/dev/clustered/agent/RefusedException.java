// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.io.IOException;

/** The engine does not take this node: trying again is pointless. */
final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
