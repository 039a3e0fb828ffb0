// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import dev.clustered.LogQuery.Follow;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;

/**
 * All ranks' bytes merged by line, with {@code "[rank] "} before each line. A line is never split
 * between ranks: a line longer than a buffer keeps the floor until it ends. A last line without an
 * end gets one. Not thread-safe, but may be closed from any thread.
 */
public final class MergedLogInput extends BulkInput {

  private static final int BUFFER = 1 << 16;

  private final List<Source> sources = new ArrayList<>();
  private byte[] ready = new byte[BUFFER * 2];
  private int readyFrom;
  private int readyTo;
  private int next;
  private boolean floorTaken;
  private volatile boolean closed;

  /** All logs, in rank order; of each the last lines alone where so many are wanted. */
  public MergedLogInput(List<RankLog> logs, Follow follow, OptionalInt lastLines)
      throws IOException {
    for (RankLog log : logs) {
      sources.add(new Source(sources.size(), new RankLogInput(log, follow, lastLines)));
    }
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (readyFrom == readyTo) {
      if (!fill()) {
        return -1;
      }
    }
    int count = Math.min(length, readyTo - readyFrom);
    System.arraycopy(ready, readyFrom, target, offset, count);
    readyFrom += count;
    return count;
  }

  /** Takes lines of the next rank that has some; waits when none has; false at the end of all. */
  private boolean fill() throws IOException {
    readyFrom = 0;
    readyTo = 0;
    int turns = floorTaken ? 1 : sources.size();
    for (int i = 0; i < turns; i++) {
      Source source = sources.get(next);
      floorTaken = source.take();
      if (!floorTaken) {
        next = (next + 1) % sources.size();
      }
      if (readyTo > 0) {
        return true;
      }
    }
    if (closed || sources.stream().allMatch(Source::exhausted)) {
      return false;
    }
    pause();
    return true;
  }

  private void pause() throws InterruptedIOException {
    LockSupport.parkNanos(5_000_000);
    if (Thread.interrupted()) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for more of a log");
    }
  }

  private void put(byte[] bytes, int from, int to) {
    int length = to - from;
    if (readyTo + length > ready.length) {
      ready = java.util.Arrays.copyOf(ready, Math.max(ready.length * 2, readyTo + length));
    }
    System.arraycopy(bytes, from, ready, readyTo, length);
    readyTo += length;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (Source source : sources) {
      source.input.close();
    }
  }

  /** One rank's bytes that are not given out yet. */
  private final class Source {
    private final RankLogInput input;
    private final byte[] prefix;
    private final byte[] buffer = new byte[BUFFER];
    private int filled;
    private boolean inLine;

    Source(int rank, RankLogInput input) {
      this.prefix = ("[" + rank + "] ").getBytes(StandardCharsets.UTF_8);
      this.input = input;
    }

    boolean exhausted() {
      return filled == 0 && input.exhausted();
    }

    /** Gives out what is there of whole lines; true when it stopped within a line. */
    boolean take() throws IOException {
      int more = Math.min(input.available(), buffer.length - filled);
      if (more > 0) {
        filled += Math.max(0, input.read(buffer, filled, more));
      }
      int from = 0;
      int end;
      while ((end = newline(from)) >= 0) {
        give(from, end + 1);
        inLine = false;
        from = end + 1;
      }
      boolean last = input.exhausted();
      if (from < filled && (last || inLine || filled - from == buffer.length)) {
        give(from, filled);
        inLine = true;
        from = filled;
      }
      if (last && inLine) {
        put(new byte[] {'\n'}, 0, 1);
        inLine = false;
      }
      System.arraycopy(buffer, from, buffer, 0, filled - from);
      filled -= from;
      return inLine;
    }

    private int newline(int from) {
      for (int i = from; i < filled; i++) {
        if (buffer[i] == '\n') {
          return i;
        }
      }
      return -1;
    }

    private void give(int from, int to) {
      if (!inLine) {
        put(prefix, 0, prefix.length);
      }
      put(buffer, from, to);
    }
  }
}
