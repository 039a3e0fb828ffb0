// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.ClusterListener;
import dev.clustered.model.ClusterEvent;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs what users wait for and listen to, in order, on one thread that is not the loop's. */
final class EventDispatcher implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(EventDispatcher.class);

  private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
  private final IdentityHashMap<ClusterListener, Boolean> reported = new IdentityHashMap<>();
  private final Thread thread;
  private boolean closed;

  EventDispatcher() {
    thread = Thread.ofPlatform().name("clustered-events").daemon().start(this::run);
  }

  /** Runs after everything handed over before. */
  void execute(Runnable task) {
    queue.add(task);
  }

  /** Tells every listener. */
  void tell(List<ClusterListener> listeners, ClusterEvent event) {
    for (ClusterListener listener : listeners) {
      queue.add(() -> tell(listener, event));
    }
  }

  private void tell(ClusterListener listener, ClusterEvent event) {
    try {
      listener.on(event);
    } catch (RuntimeException | Error e) {
      if (reported.put(listener, Boolean.TRUE) == null) {
        log.warn("A listener failed; its later failures are not reported event={}", event, e);
      }
    }
  }

  private void run() {
    while (!closed) {
      try {
        queue.take().run();
      } catch (InterruptedException e) {
        log.debug("The event thread was interrupted by a listener", e);
      } catch (RuntimeException | Error e) {
        log.warn("A completion failed", e);
      }
    }
  }

  /** Ends after everything handed over; called on its own thread it ends when that returns. */
  @Override
  public void close() {
    queue.add(() -> closed = true);
    boolean interrupted = false;
    while (thread.isAlive() && Thread.currentThread() != thread) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
