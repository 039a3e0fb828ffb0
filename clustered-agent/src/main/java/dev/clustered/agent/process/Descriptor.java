// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * One of our file descriptors, on which one thread may wait while another ends the waiting. It is
 * never closed under the thread that uses it: its number could be another file's by then.
 * Thread-safe.
 */
final class Descriptor {
  private static final int POLL_BYTES = 8;
  private static final int EVENTS = 4;
  private static final int READY_EVENTS = 6;
  private static final int FOREVER = -1;

  private final int number;
  private final int wake;
  private final ReentrantLock use = new ReentrantLock();
  private final ReentrantLock waking = new ReentrantLock();
  private volatile boolean stopped;
  private boolean closed;

  /** Takes a descriptor over. */
  Descriptor(int number) {
    this.number = number;
    wake = LibC.eventfd(0, LibC.EFD_CLOEXEC);
    if (wake < 0) {
      String why = LibC.strerror(Native.getLastError());
      LibC.close(number);
      throw new IllegalStateException("No descriptor is left to watch a stream with: " + why);
    }
  }

  int number() {
    return number;
  }

  boolean stopped() {
    return stopped;
  }

  /** Waiting ends now, and from now on. */
  void stop() {
    waking.lock();
    try {
      if (!stopped) {
        stopped = true;
        boolean unused = LibC.write(wake, new byte[] {1, 0, 0, 0, 0, 0, 0, 0}, 8) == 8;
      }
    } finally {
      waking.unlock();
    }
  }

  /** Ends waiting, and closes it when nobody uses it. */
  void close() {
    stop();
    use.lock();
    waking.lock();
    try {
      if (!closed) {
        closed = true;
        LibC.close(number);
        LibC.close(wake);
      }
    } finally {
      waking.unlock();
      use.unlock();
    }
  }

  /**
   * Does something with the descriptor while it stays open.
   *
   * @throws IOException when it is closed
   */
  int use(IntSupplier action) throws IOException {
    use.lock();
    try {
      if (closed) {
        throw new IOException("the stream is closed");
      }
      return action.getAsInt();
    } finally {
      use.unlock();
    }
  }

  /** Waits for an event; false when the waiting was ended and there is none. Only within a use. */
  boolean await(short event) {
    try (Memory poll = new Memory(2L * POLL_BYTES)) {
      poll.setInt(0, number);
      poll.setInt(POLL_BYTES, wake);
      poll.setShort(POLL_BYTES + EVENTS, LibC.POLLIN);
      while (true) {
        poll.setShort(EVENTS, event);
        poll.setShort(READY_EVENTS, (short) 0);
        int ready = LibC.poll(poll, 2, stopped ? 0 : FOREVER);
        if (ready < 0 && Native.getLastError() != LibC.EINTR) {
          return false;
        }
        if (ready > 0 && poll.getShort(READY_EVENTS) != 0) {
          return true;
        }
        if (stopped && ready >= 0) {
          return false;
        }
      }
    }
  }
}
