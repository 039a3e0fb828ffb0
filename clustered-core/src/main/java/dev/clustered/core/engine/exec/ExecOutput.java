// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.exec;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An output of a command: agents append to it by offset, a user reads it. What is not read yet is
 * bounded; who appends more waits. Thread-safe.
 */
public final class ExecOutput extends InputStream {

  private static final int CHUNK = 16 * 1024;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ByteRing unread;
  private final Runnable whenFull;
  private long taken;
  private boolean ended;
  private boolean closed;

  /**
   * An output of which nothing is known.
   *
   * @param capacity the most bytes that may wait to be read
   * @param whenFull told, again and again, when there are more
   */
  public ExecOutput(int capacity, Runnable whenFull) {
    this.unread = new ByteRing(capacity);
    this.whenFull = whenFull;
  }

  /**
   * Takes bytes that begin at an offset. Those that are known are skipped; after a gap, or when
   * there is no room for so long, nothing more is taken.
   *
   * @return the bytes taken from the start
   */
  public long append(long offset, InputStream bytes, long nanos)
      throws IOException, InterruptedException {
    byte[] chunk = new byte[CHUNK];
    long deadline = System.nanoTime() + nanos;
    long position = offset;
    boolean more = true;
    while (more) {
      int count = bytes.read(chunk);
      more = count >= 0 && put(position, chunk, count, deadline);
      position += Math.max(0, count);
    }
    return taken();
  }

  /** Whether all of a chunk is known now. */
  private boolean put(long position, byte[] chunk, int length, long deadline)
      throws InterruptedException {
    lock.lock();
    try {
      while (position <= taken && taken < position + length) {
        int skip = (int) (taken - position);
        int count = closed || ended ? length - skip : unread.add(chunk, skip, length - skip);
        taken += count;
        if (count > 0) {
          changed.signalAll();
        } else if (!awaitRoom(deadline)) {
          return false;
        }
      }
      return position + length <= taken;
    } finally {
      lock.unlock();
    }
  }

  /** Waking early is harmless: whoever waits looks again. */
  @SuppressWarnings("WaitNotInLoop")
  private boolean awaitRoom(long deadline) throws InterruptedException {
    whenFull.run();
    long left = deadline - System.nanoTime();
    return left > 0 && changed.awaitNanos(left) > 0;
  }

  private long taken() {
    lock.lock();
    try {
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Nothing more comes. */
  public void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int available() {
    lock.lock();
    try {
      return unread.size();
    } finally {
      lock.unlock();
    }
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
    lock.lock();
    try {
      while (unread.size() == 0) {
        if (ended || closed) {
          return -1;
        }
        changed.await();
      }
      int count = unread.copy(0, target, offset, length);
      unread.remove(count);
      changed.signalAll();
      return count;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for output of a command");
    } finally {
      lock.unlock();
    }
  }

  /** What comes from now on is dropped; a blocked reader returns. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      unread.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
