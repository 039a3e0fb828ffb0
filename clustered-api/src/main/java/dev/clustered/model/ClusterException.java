// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * The root of all errors of this library, with a stable code. Subclasses exist only where a caller
 * would act differently. Immutable and thread-safe.
 */
public class ClusterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * The message of the exception has the code in front.
   *
   * @param message what failed, for which cluster, node and rank, the value received, and what to
   *     do
   */
  public ClusterException(ErrorCode code, String message) {
    super(code + ": " + message);
    this.code = code;
  }

  /** The same with the failure that led to it. */
  public ClusterException(ErrorCode code, String message, Throwable cause) {
    super(code + ": " + message, cause);
    this.code = code;
  }

  /** The stable code. */
  public final ErrorCode code() {
    return code;
  }

  /** Who can do something about it. */
  public final ErrorCategory category() {
    return code.category();
  }

  /** Whether the same request may succeed later without a change. */
  public final boolean retryable() {
    return code.retryable();
  }
}
