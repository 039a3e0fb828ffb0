// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import dev.clustered.LogQuery.Follow;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.OptionalInt;

/** One rank's bytes as it wrote them. Not thread-safe, but may be closed from any thread. */
public final class RankLogInput extends InputStream {

  private final RankLog log;
  private final FileChannel channel;
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
    this.channel = FileChannel.open(log.file());
    if (lastLines.isPresent()) {
      position = LastLines.begin(channel, stored, lastLines.getAsInt());
    }
  }

  /** Bytes that can be read without waiting. */
  @Override
  public int available() {
    return (int) Math.min(Integer.MAX_VALUE, Math.min(limit, log.stored()) - position);
  }

  /** Whether nothing more will ever come. */
  boolean exhausted() {
    boolean over = closed || follow == Follow.NO || log.isComplete();
    return over && available() == 0;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
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
    int count =
        channel.read(ByteBuffer.wrap(target, offset, Math.min(length, available())), position);
    position += Math.max(count, 0);
    return count;
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
    channel.close();
  }
}
