// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Native;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;

/** Writes into a pipe or a terminal. For one thread, but may be closed from any. */
final class DescriptorOutput extends OutputStream {
  /** A pipe that is ready takes so many bytes without blocking (PIPE_BUF). */
  private static final int PART = 4096;

  private static final byte END_OF_INPUT = 4;

  private final Descriptor descriptor;
  private final Optional<Byte> endMark;
  private byte last = '\n';

  private DescriptorOutput(int number, Optional<Byte> endMark) {
    descriptor = new Descriptor(number);
    this.endMark = endMark;
  }

  /** A pipe, whose closing is the end of the data. */
  static DescriptorOutput pipe(int number) {
    return new DescriptorOutput(number, Optional.empty());
  }

  /** A terminal that does not block, with a character that is the end of the data. */
  static DescriptorOutput terminal(int number) {
    return new DescriptorOutput(number, Optional.of(END_OF_INPUT));
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int position = offset;
    int end = offset + length;
    while (position < end) {
      byte[] part = Arrays.copyOfRange(bytes, position, Math.min(end, position + PART));
      int count = descriptor.use(() -> writeSome(part));
      if (count < 0) {
        throw new IOException("Writing to a process failed: " + LibC.strerror(-count));
      }
      position += count;
    }
    if (length > 0) {
      last = bytes[end - 1];
    }
  }

  /** The bytes written, 0 to be tried again, or the negative errno. */
  private int writeSome(byte[] part) {
    if (!descriptor.await(LibC.POLLOUT)) {
      return -LibC.EPIPE;
    }
    long count = LibC.write(descriptor.number(), part, part.length);
    if (count >= 0) {
      return (int) count;
    }
    int errno = Native.getLastError();
    return errno == LibC.EINTR || errno == LibC.EAGAIN ? 0 : -errno;
  }

  /** The mark ends a line that was begun first, and only then the input. */
  @Override
  public void close() throws IOException {
    try {
      if (endMark.isPresent() && !descriptor.stopped()) {
        if (last != '\n' && last != '\r') {
          write(endMark.get());
        }
        write(endMark.get());
      }
    } finally {
      descriptor.close();
    }
  }

  /** Ends a write that waits, and every later one. */
  void stop() {
    descriptor.stop();
  }

  /** Closes it without the mark. */
  void abandon() {
    descriptor.close();
  }
}
