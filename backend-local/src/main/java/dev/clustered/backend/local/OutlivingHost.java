// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.OutlivingProcess;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * An agent in a JVM that outlives this one, which may have found it instead of starting it.
 * Thread-safe.
 */
final class OutlivingHost implements AgentHost {

  private static final Duration PAUSE = Duration.ofMillis(10);

  private final NodeRecord record;
  private final OutlivingProcess process;
  private final Path home;
  private final CompletableFuture<String> ended = new CompletableFuture<>();

  /**
   * An agent whose start is on record.
   *
   * @throws IllegalArgumentException when it is not
   */
  OutlivingHost(NodeRecord record, Path home) {
    this.record = record;
    this.home = home;
    this.process =
        record
            .agent()
            .orElseThrow(() -> new IllegalArgumentException(record.id() + " has no agent"));
  }

  NodeRecord record() {
    return record;
  }

  @Override
  public void keep() throws IOException {
    NodeRecords.write(home, record.running());
  }

  @Override
  public CompletableFuture<String> ended() {
    return ended;
  }

  /** Finds out whether the agent has ended; whether it has. */
  synchronized boolean look() {
    try {
      if (!ended.isDone() && !process.running()) {
        String how = process.exit().map(exit -> " with " + exit).orElse("");
        ended.complete("the agent's JVM ended" + how + LastWords.of(home.resolve("agent.log")));
      }
      return ended.isDone();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Asks the agent to end, which ends all it runs. One that does not react is killed; its guardian
   * ends the rest then, and what is left even so is killed from here.
   */
  @Override
  public void close() {
    try {
      List<OutlivingProcess> below = process.descendants();
      process.terminate();
      if (!Leftovers.within(this::look)) {
        below = process.descendants();
        process.kill();
        // The kernel needs no patience of ours; a process that it cannot end is waited for.
        while (!look()) {
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      }
      Leftovers.awaitEnd(below);
      Leftovers.kill(() -> OutlivingProcess.ofWorkOn(record.node().value()));
    } catch (IOException e) {
      throw new ClusterException(
          ErrorCode.BACKEND_FAILED,
          "node %s (%s) of backend local could not be ended, process %d: %s"
              .formatted(record.node(), record.id(), process.pid(), e.getMessage()),
          e);
    }
  }
}
