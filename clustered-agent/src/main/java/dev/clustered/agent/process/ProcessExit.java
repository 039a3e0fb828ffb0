// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.util.List;

/** How a process ended: by an exit code of its own or by a signal, never both. Immutable. */
public sealed interface ProcessExit {

  /** The process ended itself with this code, 0 to 255. */
  record Code(int code) implements ProcessExit {
    @Override
    public String toString() {
      return "exit code " + code;
    }
  }

  /** A signal ended the process. */
  record Signal(int number) implements ProcessExit {
    private static final List<String> NAMES =
        List.of(
            "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
            "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM");

    @Override
    public String toString() {
      String name = number <= NAMES.size() ? " (" + NAMES.get(number - 1) + ")" : "";
      return "signal " + number + name;
    }
  }

  /** Whether this is exit code 0. */
  default boolean success() {
    return this instanceof Code exited && exited.code() == 0;
  }
}
