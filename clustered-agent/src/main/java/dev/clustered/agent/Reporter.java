// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ObservedState;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the engine what the node is, whenever that changes. Changes that come while a report is
 * under way share the next one; each report is the whole truth, so losing one loses nothing.
 * Thread-safe.
 */
final class Reporter {

  private static final Logger LOGGER = LoggerFactory.getLogger(Reporter.class);

  private final Session session;
  private final LongFunction<ObservedState> state;
  private final Semaphore changes = new Semaphore(0);
  private final Thread thread;

  private Reporter(Session session, String name, LongFunction<ObservedState> state) {
    this.session = session;
    this.state = state;
    thread = Thread.ofVirtual().name("clustered-reports-" + name).unstarted(this::run);
  }

  /**
   * Starts reporting.
   *
   * @param state makes the state of now, with the sequence number given
   */
  static Reporter start(Session session, String name, LongFunction<ObservedState> state) {
    Reporter reporter = new Reporter(session, name, state);
    reporter.thread.start();
    return reporter;
  }

  void changed() {
    changes.release();
  }

  /** Ends without a last report; returns when its thread is gone. */
  void stop() {
    thread.interrupt();
    Uninterrupted.join(thread);
  }

  private void run() {
    try {
      for (long sequence = 1; ; ) {
        changes.acquire();
        changes.drainPermits();
        sequence = report(sequence);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reports until it is taken, each time what is true by then; gives the next number. */
  private long report(long first) throws InterruptedException {
    Backoff backoff = new Backoff();
    for (long sequence = first; ; sequence++) {
      try {
        session.report(state.apply(sequence));
        return sequence + 1;
      } catch (IOException e) {
        LOGGER.debug("Report not taken sequence={}", sequence, e);
        backoff.pause();
      }
    }
  }
}
