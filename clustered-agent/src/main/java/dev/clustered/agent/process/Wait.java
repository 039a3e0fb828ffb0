// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;

/** Waiting for children through waitid and waitpid. Stateless. */
final class Wait {
  private static final long INFORMATION_BYTES = 128;
  private static final long CODE_OFFSET = 8;
  private static final long PID_OFFSET = 16;
  private static final long STATUS_OFFSET = 24;

  private Wait() {}

  /**
   * Blocks until a child has ended and leaves it a zombie, so that its pid stays taken.
   *
   * @throws IllegalStateException when somebody else has waited for this child
   */
  static ProcessExit untilEnded(int pid) {
    try (Memory information = new Memory(INFORMATION_BYTES)) {
      information.clear();
      int options = LibC.WEXITED | LibC.WNOWAIT;
      while (LibC.waitid(LibC.P_PID, pid, information, options) != 0) {
        int errno = Native.getLastError();
        if (errno != LibC.EINTR) {
          throw new IllegalStateException(
              "The exit of process "
                  + pid
                  + " is unknown: "
                  + LibC.strerror(errno)
                  + ". Something else in this JVM waits for all children or ignores SIGCHLD.");
        }
      }
      int status = information.getInt(STATUS_OFFSET);
      return information.getInt(CODE_OFFSET) == LibC.CLD_EXITED
          ? new ProcessExit.Code(status)
          : new ProcessExit.Signal(status);
    }
  }

  /** Takes the exit of a child if it has ended, which frees its pid. */
  static boolean reap(int pid) {
    try (Memory status = new Memory(Integer.BYTES)) {
      return LibC.waitpid(pid, status, LibC.WNOHANG) == pid;
    }
  }

  /** Whether any child has ended and was not waited for yet. */
  static boolean anyEnded() {
    try (Memory information = new Memory(INFORMATION_BYTES)) {
      information.clear();
      int options = LibC.WEXITED | LibC.WNOWAIT | LibC.WNOHANG;
      return LibC.waitid(LibC.P_ALL, 0, information, options) == 0
          && information.getInt(PID_OFFSET) != 0;
    }
  }
}
