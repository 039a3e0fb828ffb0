// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.model.ProcessEnd;
import java.util.Optional;

/**
 * What is known of signals by their numbers; those that differ between systems have no name here.
 */
final class Signals {
  static final int ABORT = 6;
  private static final int PIPE = 13;

  private Signals() {}

  static Optional<Integer> of(ProcessEnd end) {
    return end instanceof ProcessEnd.Signal ended ? Optional.of(ended.signal()) : Optional.empty();
  }

  /** Whether it comes from writing to one who does not read any more. */
  static boolean peerGone(int signal) {
    return signal == PIPE;
  }

  /** Where a signal comes from when neither the engine nor a lack of memory is known to have. */
  static String origin(int signal) {
    return switch (signal) {
      case 4, ABORT, 7, 8, 11 -> "which a program brings upon itself";
      case PIPE -> "which is a write to a peer that had gone";
      case 9 ->
          "which neither the engine sent nor, as far as the node can tell, a lack of memory:"
              + " it was killed by somebody else on the node";
      case 1, 2, 3, 15 ->
          "which the engine did not send: somebody else on the node asked it to end";
      default -> "which the engine did not send";
    };
  }

  static String name(int signal) {
    String name =
        switch (signal) {
          case 1 -> "SIGHUP";
          case 2 -> "SIGINT";
          case 3 -> "SIGQUIT";
          case 4 -> "SIGILL";
          case ABORT -> "SIGABRT";
          case 8 -> "SIGFPE";
          case 9 -> "SIGKILL";
          case 11 -> "SIGSEGV";
          case PIPE -> "SIGPIPE";
          case 15 -> "SIGTERM";
          default -> "";
        };
    return "signal " + signal + (name.isEmpty() ? "" : " (" + name + ")");
  }
}
