// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.model.ErrorCode;

/** Work that cannot be made ready, joined or started; it is reported, not tried again. */
final class WorkFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  WorkFailure(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  WorkFailure(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  ErrorCode code() {
    return code;
  }
}
