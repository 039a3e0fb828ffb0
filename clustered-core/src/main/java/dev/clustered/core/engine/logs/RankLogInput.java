// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import dev.clustered.LogQuery.Follow;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** One rank's bytes as it wrote them. Not thread-safe, but may be closed from any thread. */
public final class RankLogInput extends BulkInput {

  private final RankLog log;
  private final LogFiles.Reader reader;

  /** A line about bytes that were dropped, and how much of it is given out. */
  private byte[] marker = new byte[0];

  private int markerRead;
  private boolean lineIsOpen;
  private final Follow follow;
  private final long limit;
  private long position;
  private volatile boolean closed;

  /**
   * From the first byte, or the first of the last lines, to the last byte stored now, or to the
   * rank's end.
   */
  public RankLogInput(RankLog log, Follow follow, OptionalInt lastLines) throws IOException {
    this.log = log;
    this.follow = follow;
    long stored = log.stored();
    this.limit = follow == Follow.NO ? stored : Long.MAX_VALUE;
    requireKept(stored > 0);
    this.reader = log.files().reader();
    if (lastLines.isPresent()) {
      position = LastLines.begin(reader, log.files()::keptBefore, stored, lastLines.getAsInt());
    }
  }

  /** Bytes that can be read without waiting, at least where there are some. */
  @Override
  public int available() {
    long ahead = Math.min(limit, log.stored()) - position + marker.length - markerRead;
    return (int) Math.min(Integer.MAX_VALUE, ahead);
  }

  /** Whether nothing more will ever come. */
  boolean exhausted() {
    boolean over = closed || follow == Follow.NO || log.isComplete();
    return over && available() == 0;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (available() == 0) {
      if (exhausted()) {
        requireKept(closed);
        return -1;
      }
      await();
    }
    while (markerRead == marker.length) {
      int most = Math.min(length, available());
      int count = reader.read(position, ByteBuffer.wrap(target, offset, most));
      if (count > 0) {
        position += count;
        lineIsOpen = target[offset + count - 1] != '\n';
        return count;
      }
      skip();
    }
    int count = Math.min(length, marker.length - markerRead);
    System.arraycopy(marker, markerRead, target, offset, count);
    markerRead += count;
    return count;
  }

  /** Goes on after what was dropped, with a line in its place. */
  private void skip() throws IOException {
    // Not beyond its own end, which may be dropped as well.
    long next = Math.min(log.files().keptFrom(position), limit);
    if (next == position) {
      throw new IOException("the log %s ends too soon".formatted(log.files().file()));
    }
    String line = String.format(Locale.ROOT, "[%,d bytes were dropped here]\n", next - position);
    marker = ((lineIsOpen ? "\n" : "") + line).getBytes(StandardCharsets.UTF_8);
    markerRead = 0;
    position = next;
  }

  private void requireKept(boolean anyway) throws IOException {
    Optional<String> failure = log.failure();
    if (failure.isPresent() && !anyway) {
      throw new IOException(failure.get());
    }
  }

  private void await() throws InterruptedIOException {
    try {
      log.awaitMore(position, RankLog.pause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for more of a log");
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    reader.close();
  }
}
