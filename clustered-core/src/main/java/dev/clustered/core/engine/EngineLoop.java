// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that owns the engine's state, and its mailbox. Thread-safe. */
final class EngineLoop {

  private static final Logger log = LoggerFactory.getLogger(EngineLoop.class);

  private final LinkedBlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
  private final EngineCore core;
  private final Timers timers;
  private final Thread thread;
  private volatile boolean stopped;

  EngineLoop(EngineCore core, Timers timers) {
    this.core = core;
    this.timers = timers;
    this.thread = Thread.ofPlatform().name("clustered-engine").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void post(Message message) {
    mailbox.add(message);
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
      } catch (RuntimeException e) {
        log.warn("A turn of the engine failed; its messages are lost", e);
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
