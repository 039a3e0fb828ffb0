// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that owns the engine's state, and its mailbox. Thread-safe. */
final class EngineLoop implements AgentLinks.Inbox {

  private static final Logger log = LoggerFactory.getLogger(EngineLoop.class);

  private final LinkedBlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
  private final EngineCore core;
  private final Timers timers;
  private final Consumer<ClusterException> deposed;
  private final Thread thread;
  private volatile boolean stopped;

  /**
   * A loop that is not started.
   *
   * @param deposed hears on the loop's thread that this engine must not act any more
   */
  EngineLoop(EngineCore core, Timers timers, Consumer<ClusterException> deposed) {
    this.core = core;
    this.deposed = deposed;
    this.timers = timers;
    this.thread = Thread.ofPlatform().name("clustered-engine").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void post(Message message) {
    mailbox.add(message);
  }

  @Override
  public void joined(NodeId node, String address) {
    post(reached -> reached.joined(node, address));
  }

  @Override
  public void observed(NodeId node, ObservedState state) {
    post(reached -> reached.observed(node, state));
  }

  /** Ends the loop after what is in the mailbox, and returns when its thread has ended. */
  void stop() throws InterruptedException {
    post(ignored -> stopped = true);
    thread.join();
  }

  private void run() {
    while (!stopped) {
      try {
        turn();
      } catch (InterruptedException e) {
        log.debug("The engine's thread was interrupted by somebody else", e);
      } catch (ClusterException e) {
        if (e.code() == ErrorCode.ENGINE_DEPOSED) {
          stopped = true; // What it knows is not what is any more.
          deposed.accept(e);
        } else {
          log.error("A turn of the engine failed; what it decided is not done", e);
        }
      } catch (RuntimeException e) {
        log.error("A turn of the engine failed; what it decided is not done", e);
      }
    }
  }

  private void turn() throws InterruptedException {
    List<Message> batch = new ArrayList<>();
    Optional<Long> nanos = timers.untilNext();
    Message first =
        nanos.isPresent() ? mailbox.poll(nanos.get(), TimeUnit.NANOSECONDS) : mailbox.take();
    if (first != null) {
      batch.add(first);
    }
    mailbox.drainTo(batch);
    for (Optional<Message> due = timers.due(); due.isPresent(); due = timers.due()) {
      batch.add(due.get());
    }
    if (!batch.isEmpty()) {
      core.turn(batch);
    }
  }
}
