// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.OutlivingProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Processes of nodes whose agents cannot end them any more. Stateless. */
final class Leftovers {

  /** Longer than an agent takes that ends its ranks by SIGKILL, and than its guardian takes. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Duration PAUSE = Duration.ofMillis(5);

  /** One empty pass proves nothing: a process may have forked while the pass went by. */
  private static final int EMPTY_PASSES = 2;

  private Leftovers() {}

  /** Finds processes. */
  interface Search {
    List<OutlivingProcess> find() throws IOException;
  }

  /** Kills what a search finds until it finds nothing any more. */
  static void kill(Search search) throws IOException {
    int empty = 0;
    Set<OutlivingProcess> killed = new LinkedHashSet<>();
    while (empty < EMPTY_PASSES) {
      List<OutlivingProcess> found = search.find();
      killed.addAll(found);
      for (OutlivingProcess process : found) {
        process.kill();
      }
      empty = found.isEmpty() ? empty + 1 : 0;
      if (!found.isEmpty()) {
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    killed.forEach(OutlivingProcess::forget);
  }

  /** Waits for what a guardian is about to end, itself included, and kills what it does not. */
  static void awaitEnd(List<OutlivingProcess> family) throws IOException {
    if (!within(() -> noneRuns(family))) {
      for (OutlivingProcess left : family) {
        left.kill();
      }
    }
  }

  /** A question about processes. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /** Whether it holds before an agent would have had to end its ranks by SIGKILL. */
  static boolean within(Condition condition) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean holds = condition.holds();
    while (!holds && System.nanoTime() < deadline) {
      LockSupport.parkNanos(PAUSE.toNanos());
      holds = condition.holds();
    }
    return holds;
  }

  private static boolean noneRuns(List<OutlivingProcess> processes) throws IOException {
    for (OutlivingProcess one : processes) {
      if (one.running()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Ends the agent of a node's directory, whoever it is, with what it runs, and deletes the
   * directory. An agent that a dying host was just starting has no file to begin with then.
   */
  static void remove(Path home) throws IOException {
    String birth = OutlivingHosts.birth(home).toString();
    String node = home.getFileName().toString();
    List<OutlivingProcess> below = new ArrayList<>();
    for (OutlivingProcess agent : OutlivingProcess.withArgument(birth)) {
      below.addAll(agent.descendants());
    }
    kill(() -> OutlivingProcess.withArgument(birth));
    awaitEnd(below);
    kill(() -> OutlivingProcess.ofWorkOn(node));
    Directories.delete(home);
    kill(() -> OutlivingProcess.withArgument(birth));
    Directories.delete(home);
  }
}
