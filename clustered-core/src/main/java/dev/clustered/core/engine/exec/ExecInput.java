// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.exec;

import dev.clustered.core.control.ExecGateway.InputPart;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The input of a command: a user writes to it, an agent takes it by offset. What is not taken yet
 * is bounded; who writes more waits. Thread-safe.
 */
public final class ExecInput extends OutputStream {

  private static final int CAPACITY = 256 * 1024;
  private static final int PART = 64 * 1024;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ByteRing waiting = new ByteRing(CAPACITY);
  private Optional<String> refusal;
  private long first;
  private boolean closed;
  private boolean over;

  /**
   * An input that nothing was written to.
   *
   * @param refusal why nothing can be; empty when something can
   */
  public ExecInput(Optional<String> refusal) {
    this.refusal = refusal;
  }

  /**
   * The bytes from an offset on, as soon as there are any; none when the time is over, empty when
   * the command is. Bytes before the offset are taken, and forgotten.
   */
  public Optional<InputPart> take(long offset, long nanos) throws InterruptedException {
    lock.lock();
    try {
      int known = (int) Math.min(waiting.size(), Math.max(0, offset - first));
      waiting.remove(known);
      first += known;
      if (known > 0) {
        changed.signalAll();
      }
      long left = nanos;
      while (waiting.size() == 0 && !closed && !over && left > 0) {
        left = changed.awaitNanos(left);
      }
      return over ? Optional.empty() : Optional.of(part());
    } finally {
      lock.unlock();
    }
  }

  private InputPart part() {
    byte[] bytes = new byte[Math.min(PART, waiting.size())];
    int count = waiting.copy(0, bytes, 0, bytes.length);
    return new InputPart(bytes, closed && count == waiting.size());
  }

  /** Nothing can be written any more. */
  public void refuse(String why) {
    lock.lock();
    try {
      refusal = refusal.or(() -> Optional.of(why));
      waiting.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The command is over. */
  public void end() {
    lock.lock();
    try {
      over = true;
      refuse("the command has ended");
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    lock.lock();
    try {
      int written = 0;
      while (written < length) {
        requireOpen();
        int count = waiting.add(bytes, offset + written, length - written);
        written += count;
        if (count > 0) {
          changed.signalAll();
        } else {
          changed.await();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while writing to a command");
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the input of the command is closed");
    }
    if (refusal.isPresent()) {
      throw new IOException("nothing can be written to the command: " + refusal.get());
    }
  }

  /** The end of the input. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
