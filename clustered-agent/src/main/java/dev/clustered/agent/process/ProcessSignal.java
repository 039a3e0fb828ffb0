// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Native;
import java.util.Optional;

/** Signals to processes that are not our children, whose pids may change hands. Stateless. */
final class ProcessSignal {
  private static final int ESRCH = 3;

  private ProcessSignal() {}

  /** Sends a signal to exactly the process that was seen, or to none. */
  static void send(ProcessEntry entry, int signal) {
    long handle = LibC.syscall(LibC.SYS_PIDFD_OPEN, entry.pid(), 0, 0, 0);
    boolean gone = handle < 0 && Native.getLastError() == ESRCH;
    try {
      if (gone || !same(entry)) {
        return;
      }
      if (handle < 0) {
        // Kernels before 5.3 have no handles for processes.
        LibC.kill(entry.pid(), signal);
      } else {
        LibC.syscall(LibC.SYS_PIDFD_SEND_SIGNAL, handle, signal, 0, 0);
      }
    } finally {
      if (handle >= 0) {
        LibC.close((int) handle);
      }
    }
  }

  private static boolean same(ProcessEntry entry) {
    Optional<ProcessEntry> now = ProcessTable.readStat(entry.pid());
    return now.isPresent() && now.get().startTicks() == entry.startTicks();
  }
}
