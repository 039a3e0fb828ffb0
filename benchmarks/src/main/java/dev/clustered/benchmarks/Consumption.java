// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

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

  /** Records the most heap that any collection left over. Not thread-safe. */
  public static final class HeapWatch implements AutoCloseable {

    private final AtomicLong most = new AtomicLong();
    private final NotificationListener listener = (notification, handback) -> note(notification);
    private final Set<String> heapPools =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(pool -> pool.getName())
            .collect(Collectors.toCollection(LinkedHashSet::new));

    /** Begins to watch. */
    public HeapWatch() {
      for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
        ((NotificationEmitter) collector).addNotificationListener(listener, null, null);
      }
    }

    private void note(javax.management.Notification notification) {
      if (notification.getUserData() instanceof CompositeData data) {
        long used =
            GarbageCollectionNotificationInfo.from(data)
                .getGcInfo()
                .getMemoryUsageAfterGc()
                .entrySet()
                .stream()
                .filter(pool -> heapPools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
        most.accumulateAndGet(used, Math::max);
      }
    }

    /** The most so far in MiB; 0 while nothing was collected. */
    public double mostMebibytes() {
      return most.get() / MEBIBYTE;
    }

    @Override
    public void close() throws ListenerNotFoundException {
      for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
        ((NotificationEmitter) collector).removeNotificationListener(listener);
      }
    }
  }
}
