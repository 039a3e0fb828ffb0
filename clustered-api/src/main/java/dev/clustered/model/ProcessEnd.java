// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** How a process ended: with an exit code or by a signal, never mixed up. */
public sealed interface ProcessEnd {

  /** It ended by itself with a code of 0 to 255. */
  record Code(int code) implements ProcessEnd {
    @Override
    public String toString() {
      return "exit code " + code;
    }
  }

  /** A signal ended it; 9 is SIGKILL. */
  record Signal(int signal) implements ProcessEnd {
    @Override
    public String toString() {
      return "signal " + signal;
    }
  }

  /**
   * It could not be started.
   *
   * @param code what a shell would report: 127 not found, 126 not executable
   * @param message what was tried and why it failed
   */
  record NotStarted(int code, String message) implements ProcessEnd {
    @Override
    public String toString() {
      return "not started (code " + code + "): " + message;
    }
  }

  /** Nobody knows: its node was lost. */
  record Unknown(String message) implements ProcessEnd {
    @Override
    public String toString() {
      return "unknown: " + message;
    }
  }

  /** Whether it ended by itself with code 0. */
  default boolean success() {
    return this instanceof Code ended && ended.code() == 0;
  }
}
