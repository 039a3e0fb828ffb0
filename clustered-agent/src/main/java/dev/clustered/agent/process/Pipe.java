// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.util.Arrays;

/** An operating system pipe whose ends no child inherits by itself. Not thread-safe. */
final class Pipe implements AutoCloseable {
  private static final int CLOSED = -1;
  private static final int LAST_STANDARD = 2;
  private static final int POLL_BYTES = 8;
  private static final int POLL_EVENTS_OFFSET = 4;

  private int readEnd;
  private int writeEnd;

  Pipe() {
    try (Memory ends = new Memory(2L * Integer.BYTES)) {
      if (LibC.pipe2(ends, LibC.O_CLOEXEC) != 0) {
        throw new IllegalStateException(
            "Creating a pipe failed: " + LibC.strerror(Native.getLastError()));
      }
      int other = ends.getInt(Integer.BYTES);
      readEnd = aboveStandard(ends.getInt(0), other);
      writeEnd = aboveStandard(other, readEnd);
    }
  }

  // In a host without standard streams an end may get their numbers, and would then be overwritten
  // in the child by another one.
  private static int aboveStandard(int end, int other) {
    if (end > LAST_STANDARD) {
      return end;
    }
    int higher = LibC.fcntl(end, LibC.F_DUPFD_CLOEXEC, LAST_STANDARD + 1);
    LibC.close(end);
    if (higher < 0) {
      LibC.close(other);
      throw new IllegalStateException(
          "Moving a pipe's end failed: " + LibC.strerror(Native.getLastError()));
    }
    return higher;
  }

  int readEnd() {
    return readEnd;
  }

  int writeEnd() {
    return writeEnd;
  }

  /** Writes everything; false when nobody reads any more. */
  boolean write(byte[] bytes) {
    int offset = 0;
    while (offset < bytes.length) {
      byte[] rest = Arrays.copyOfRange(bytes, offset, bytes.length);
      long written = LibC.write(writeEnd, rest, rest.length);
      if (written < 0 && Native.getLastError() != LibC.EINTR) {
        return false;
      }
      offset += (int) Math.max(0, written);
    }
    return true;
  }

  /** Waits for one byte; false at the end of the data or of the time. */
  boolean awaitByte(int timeoutMillis) {
    try (Memory poll = new Memory(POLL_BYTES)) {
      poll.setInt(0, readEnd);
      poll.setInt(POLL_EVENTS_OFFSET, LibC.POLLIN);
      int ready = LibC.poll(poll, 1, timeoutMillis);
      while (ready < 0 && Native.getLastError() == LibC.EINTR) {
        ready = LibC.poll(poll, 1, timeoutMillis);
      }
      return ready > 0 && LibC.read(readEnd, new byte[1], 1) == 1;
    }
  }

  /** Gives the read end away: whoever takes it closes it. */
  int takeReadEnd() {
    int taken = readEnd;
    readEnd = CLOSED;
    return taken;
  }

  /** Gives the write end away: whoever takes it closes it. */
  int takeWriteEnd() {
    int taken = writeEnd;
    writeEnd = CLOSED;
    return taken;
  }

  void closeReadEnd() {
    readEnd = closed(readEnd);
  }

  void closeWriteEnd() {
    writeEnd = closed(writeEnd);
  }

  @Override
  public void close() {
    closeReadEnd();
    closeWriteEnd();
  }

  private static int closed(int end) {
    if (end != CLOSED) {
      LibC.close(end);
    }
    return CLOSED;
  }
}
