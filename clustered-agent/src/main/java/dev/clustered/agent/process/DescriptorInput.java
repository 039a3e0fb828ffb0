// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Native;
import java.io.IOException;
import java.io.InputStream;

/** Reads a pipe or a terminal. For one thread, but may be drained and closed from any. */
final class DescriptorInput extends InputStream {
  private final Descriptor descriptor;

  DescriptorInput(int number) {
    descriptor = new Descriptor(number);
  }

  /** Ends after what can be read without waiting. */
  void drain() {
    descriptor.stop();
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
    boolean apart = offset > 0;
    byte[] direct = apart ? new byte[length] : target;
    int count = descriptor.use(() -> readInto(direct, length));
    if (count < -1) {
      throw new IOException("Reading a process's stream failed: " + LibC.strerror(-count));
    }
    if (count > 0 && apart) {
      System.arraycopy(direct, 0, target, offset, count);
    }
    return count;
  }

  /** The bytes read, -1 at the end, or the negative errno. */
  private int readInto(byte[] target, int length) {
    while (descriptor.await(LibC.POLLIN)) {
      int count = (int) LibC.read(descriptor.number(), target, length);
      if (count >= 0) {
        return count == 0 ? -1 : count;
      }
      int errno = Native.getLastError();
      if (errno == LibC.EIO) {
        return -1; // How a terminal says that nobody has it open any more.
      }
      if (errno != LibC.EINTR && errno != LibC.EAGAIN) {
        return -errno;
      }
    }
    return -1;
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
