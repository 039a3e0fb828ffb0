// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What one rank wrote in one attempt. Thread-safe. */
public final class RankLog implements AutoCloseable {

  private static final int CHUNK = 1 << 16;
  private static final int TAIL_BYTES = 8_192;

  private final Path file;
  private final FileChannel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long stored;
  private boolean complete;

  RankLog(Path file) throws IOException {
    this.file = file;
    Files.createDirectories(file.getParent());
    this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    this.stored = channel.size();
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
    return stored();
  }

  private void write(long position, byte[] buffer, int length) throws IOException {
    lock.lock();
    try {
      long skip = stored - position;
      if (skip < 0 || skip >= length || complete) {
        return;
      }
      ByteBuffer rest = ByteBuffer.wrap(buffer, (int) skip, length - (int) skip);
      while (rest.hasRemaining()) {
        stored += channel.write(rest, stored);
      }
      changed.signalAll();
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
      channel.close();
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

  Path file() {
    return file;
  }

  /** The last lines, at most 8 KiB. */
  public String tail() throws IOException {
    long size = stored();
    int length = (int) Math.min(size, TAIL_BYTES);
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try (FileChannel reader = FileChannel.open(file)) {
      int read = 0;
      while (bytes.hasRemaining() && read >= 0) {
        read = reader.read(bytes, size - length + bytes.position());
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
