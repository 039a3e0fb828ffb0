// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes parts in the reverse order of their adding, every one, whatever the others do. */
final class Closer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Closer.class);

  private final Deque<Part> parts = new ArrayDeque<>();

  private record Part(String name, Action action) {}

  /** Closes a part. */
  interface Action {
    void run() throws Exception;
  }

  void add(String name, Action action) {
    parts.push(new Part(name, action));
  }

  @Override
  public void close() {
    boolean interrupted = false;
    for (Part part : parts) {
      try {
        part.action.run();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (Exception e) {
        log.warn("A part of the engine did not close part={}", part.name, e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
