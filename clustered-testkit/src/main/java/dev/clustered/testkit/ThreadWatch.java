// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.stream.Collectors;

/**
 * Live platform threads; those that the JDK, JUnit, JNA and the PostgreSQL driver keep for
 * themselves do not count.
 */
record ThreadWatch(Set<Thread> before) implements NothingLeft.Watch {

  private static final int DEEPEST_STACK = 12;

  /** Threads that outlive their use by the plan of those who start them, by their exact names. */
  private static final List<String> KEPT =
      List.of(
          "Attach Listener",
          "CompletableFutureDelayScheduler",
          "JNA Cleaner",
          "Keep-Alive-Timer",
          "PostgreSQL-JDBC-Cleaner",
          "VirtualThread-unparker",
          "junit-jupiter-timeout-watcher",
          "junit-timeout-thread-watcher");

  static ThreadWatch begin() {
    return new ThreadWatch(Thread.getAllStackTraces().keySet());
  }

  @Override
  public List<String> left() {
    List<String> found = new ArrayList<>();
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread) && thread.isAlive() && !kept(thread))
        .sorted(Comparator.comparingLong(Thread::threadId))
        .forEach(thread -> found.add(describe(thread)));
    return found;
  }

  private static boolean kept(Thread thread) {
    // The JDK's own: process reapers, cleaners, pollers, carriers and timers of virtual threads.
    String type = thread.getClass().getName();
    boolean internal =
        type.startsWith("jdk.internal.misc.") || type.equals("java.util.concurrent.DelayScheduler");
    boolean common =
        thread instanceof ForkJoinWorkerThread worker
            && ForkJoinPool.commonPool().equals(worker.getPool());
    return internal || common || KEPT.contains(thread.getName());
  }

  private static String describe(Thread thread) {
    String stack =
        Arrays.stream(thread.getStackTrace())
            .limit(DEEPEST_STACK)
            .map(frame -> System.lineSeparator() + "      at " + frame)
            .collect(Collectors.joining());
    return "thread \"%s\" (%s, daemon=%s, state=%s)%s"
        .formatted(
            thread.getName(),
            thread.getClass().getName(),
            thread.isDaemon(),
            thread.getState(),
            stack);
  }
}
