// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one rank wrote in one attempt. When it cannot be kept, because the disk is full for example,
 * the rank runs on: its bytes are taken and dropped from then on, and whoever reads the log learns
 * it after the bytes that were kept. Thread-safe.
 */
public final class RankLog implements AutoCloseable {

  private static final int CHUNK = 1 << 16;
  private static final int TAIL_BYTES = 8_192;

  private static final Logger logger = LoggerFactory.getLogger(RankLog.class);

  private final LogFiles files;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long stored;
  private long dropped;
  private Optional<String> failure = Optional.empty();
  private boolean complete;

  /** A log of which so many bytes are kept at most. */
  RankLog(Path file, long limit) {
    this.files = new LogFiles(file, limit);
    try {
      stored = files.open();
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException reason) {
    logger.warn("A log cannot be kept any more; its rank runs on file={}", files.file(), reason);
    failure = Optional.of("the log " + files.file() + " could not be kept: " + reason);
  }

  /**
   * Stores bytes that begin at an offset of the rank's output. Bytes that are stored already are
   * skipped; bytes after a gap are refused, so that the agent sends again from what is stored.
   *
   * @return the bytes stored from the start
   */
  public long append(long offset, InputStream bytes) throws IOException {
    byte[] buffer = new byte[CHUNK];
    long position = offset;
    int read;
    while ((read = bytes.read(buffer)) >= 0) {
      write(position, buffer, read);
      position += read;
    }
    return taken();
  }

  private void write(long position, byte[] buffer, int length) {
    lock.lock();
    try {
      long skip = stored + dropped - position;
      if (skip < 0 || skip >= length || complete) {
        return;
      }
      ByteBuffer rest = ByteBuffer.wrap(buffer, (int) skip, length - (int) skip);
      store(rest);
      dropped += rest.remaining();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void store(ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining() && failure.isEmpty()) {
        stored += files.write(stored, bytes);
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  /** Bytes taken from the agent so far, kept or not. */
  private long taken() {
    lock.lock();
    try {
      return stored + dropped;
    } finally {
      lock.unlock();
    }
  }

  /** Why the log is not whole; empty when it is. */
  Optional<String> failure() {
    lock.lock();
    try {
      return failure.map(why -> why + " (%d bytes of it are lost)".formatted(dropped));
    } finally {
      lock.unlock();
    }
  }

  /** Bytes stored so far. */
  public long stored() {
    lock.lock();
    try {
      return stored;
    } finally {
      lock.unlock();
    }
  }

  /** Nothing more comes; followers end. */
  public void complete() throws IOException {
    lock.lock();
    try {
      complete = true;
      changed.signalAll();
      files.close();
    } finally {
      lock.unlock();
    }
  }

  boolean isComplete() {
    lock.lock();
    try {
      return complete;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is more than a number of bytes, or no more to come, or the time is over. */
  void awaitMore(long than, long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (stored <= than && !complete && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  LogFiles files() {
    return files;
  }

  /** The last lines, at most 8 KiB. */
  public String tail() throws IOException {
    return tail(TAIL_BYTES);
  }

  /** The last lines, at most so many bytes of them. */
  public String tail(int most) throws IOException {
    Optional<String> lost = failure();
    if (lost.isPresent()) {
      return lost.get();
    }
    long size = stored();
    int length = (int) Math.min(size, most);
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try (LogFiles.Reader reader = files.reader()) {
      int read = 1;
      while (bytes.hasRemaining() && read > 0) {
        read = reader.read(size - length + bytes.position(), bytes);
      }
    }
    String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    int firstLine = length < size ? text.indexOf('\n') + 1 : 0;
    return text.substring(firstLine);
  }

  @Override
  public void close() throws IOException {
    complete();
  }

  static long pause() {
    return TimeUnit.MILLISECONDS.toNanos(250);
  }
}
