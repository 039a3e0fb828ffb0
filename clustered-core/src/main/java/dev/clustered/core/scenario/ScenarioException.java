// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

/** A scenario file that cannot be read; the message says where, what was there, and what to do. */
public final class ScenarioException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  ScenarioException(String message) {
    super(message);
  }
}
