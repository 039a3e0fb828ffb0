// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What this JVM uses. */
public final class Consumption {

  private static final double MEBIBYTE = 1 << 20;

  private Consumption() {}

  /** Processor time of this JVM so far, without its child processes, in seconds. */
  public static double processorSeconds() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e9;
  }

  /** The live heap in MiB, after a full collection. */
  public static double heapMebibytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEBIBYTE;
  }

  /** Looks at the live heap twice a second, on a thread of its own. */
  public static final class HeapWatch implements AutoCloseable {

    private static final long PAUSE_MILLIS = 500;

    private final Thread thread = Thread.ofPlatform().name("heap-watch").unstarted(this::run);
    private volatile double most;

    /** Begins to watch; the thread ends soon after the close. */
    public HeapWatch() {
      thread.start();
    }

    private void run() {
      try {
        for (double seen = 0; ; ) {
          seen = Math.max(seen, heapMebibytes());
          most = seen;
          Thread.sleep(PAUSE_MILLIS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** The most so far in MiB. */
    public double mostMebibytes() {
      return most;
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }
}
