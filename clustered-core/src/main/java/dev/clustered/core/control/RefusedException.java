// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

/** A request that is answered with a refusal. */
final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  private final Refusals.Reason reason;

  RefusedException(Refusals.Reason reason) {
    super(reason.name(), null, false, false);
    this.reason = reason;
  }

  Refusals.Reason reason() {
    return reason;
  }
}
