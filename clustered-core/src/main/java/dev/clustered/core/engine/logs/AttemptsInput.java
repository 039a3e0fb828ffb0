// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The log of one attempt after the other, as long as there is a next one. Not thread-safe, but may
 * be closed from any thread.
 */
public final class AttemptsInput extends BulkInput {

  /** What is known of attempts. */
  public interface Attempts {

    /**
     * Waits for an attempt after this one.
     *
     * @return its number; 0 when there is none to come, or somebody called {@link #wake} and {@code
     *     closed} is so
     */
    int next(int after, java.util.function.BooleanSupplier closed) throws InterruptedException;

    /** Lets whoever waits look again. */
    void wake();

    /** The log of an attempt, followed to its end. */
    InputStream open(int attempt) throws IOException;
  }

  /** Whether a line tells that another attempt begins. */
  public enum Marker {
    /** Nothing stands between two attempts. */
    NONE,
    /** A line of its own. */
    LINE
  }

  private final Attempts attempts;
  private final Marker marker;
  private int attempt;
  private byte[] line = new byte[0];
  private int lineRead;
  private volatile InputStream current;
  private volatile boolean closed;

  /** Begins with an attempt whose log is open already. */
  public AttemptsInput(Attempts attempts, Marker marker, int attempt, InputStream first) {
    this.attempts = attempts;
    this.marker = marker;
    this.attempt = attempt;
    this.current = first;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (true) {
      if (lineRead < line.length) {
        int count = Math.min(length, line.length - lineRead);
        System.arraycopy(line, lineRead, target, offset, count);
        lineRead += count;
        return count;
      }
      int count = current.read(target, offset, length);
      if (count >= 0) {
        return count;
      }
      if (closed || !goOn()) {
        return -1;
      }
    }
  }

  private boolean goOn() throws IOException {
    int next = await();
    if (next == 0) {
      return false;
    }
    current.close();
    attempt = next;
    current = attempts.open(next);
    if (closed) { // By another thread, which has closed the one before.
      current.close();
      return false;
    }
    if (marker == Marker.LINE) {
      line = ("--- attempt " + next + " ---\n").getBytes(StandardCharsets.UTF_8);
      lineRead = 0;
    }
    return true;
  }

  private int await() throws InterruptedIOException {
    try {
      return attempts.next(attempt, () -> closed);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for another attempt");
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    attempts.wake();
    current.close();
  }
}
