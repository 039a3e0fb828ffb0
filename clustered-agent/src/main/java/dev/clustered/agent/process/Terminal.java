// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import dev.clustered.model.TerminalSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pseudo-terminal: our side of it, and the path that a child opens. Reading, writing and resizing
 * have a descriptor each, so that none waits for another. Thread-safe but for the streams.
 */
final class Terminal {
  private static final Logger LOGGER = LoggerFactory.getLogger(Terminal.class);
  private static final int NAME_BYTES = 128;
  private static final int FIRST_DESCRIPTOR = 3;
  private static final int SIZE_BYTES = 8;

  private final Path path;
  private final Descriptor control;
  private final DescriptorInput output;
  private final DescriptorOutput input;

  /** A new terminal of a size. */
  Terminal(TerminalSize size) {
    control = new Descriptor(open());
    try {
      path = unlock(control.number());
      output = new DescriptorInput(another(control.number()));
    } catch (RuntimeException e) {
      control.close();
      throw e;
    }
    try {
      input = DescriptorOutput.terminal(another(control.number()));
    } catch (RuntimeException e) {
      output.close();
      control.close();
      throw e;
    }
    resize(size);
  }

  /** What the child opens. */
  Path path() {
    return path;
  }

  DescriptorInput output() {
    return output;
  }

  DescriptorOutput input() {
    return input;
  }

  void resize(TerminalSize size) {
    try (Memory window = new Memory(SIZE_BYTES)) {
      window.clear();
      window.setShort(0, (short) size.rows());
      window.setShort(2, (short) size.columns());
      int failed = control.use(() -> LibC.ioctl(control.number(), LibC.TIOCSWINSZ, window));
      if (failed != 0) {
        LOGGER.debug("A terminal was not resized path={} size={}", path, size);
      }
    } catch (IOException e) {
      LOGGER.debug("A terminal is gone path={} size={}", path, size, e);
    }
  }

  /** The size cannot be changed any more; the streams are closed by themselves. */
  void release() {
    control.close();
  }

  void close() {
    input.abandon();
    output.close();
    control.close();
  }

  private static int open() {
    int flags = LibC.O_RDWR | LibC.O_NOCTTY | LibC.O_CLOEXEC | LibC.O_NONBLOCK;
    int number = LibC.posix_openpt(flags);
    if (number < 0) {
      throw failure("Opening a terminal");
    }
    return number;
  }

  private static Path unlock(int number) {
    byte[] name = new byte[NAME_BYTES];
    if (LibC.grantpt(number) != 0
        || LibC.unlockpt(number) != 0
        || LibC.ptsname_r(number, name, name.length) != 0) {
      throw failure("Unlocking a terminal");
    }
    int length = 0;
    while (name[length] != 0) {
      length++;
    }
    return Path.of(new String(name, 0, length, StandardCharsets.UTF_8));
  }

  private static int another(int number) {
    int copy = LibC.fcntl(number, LibC.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    if (copy < 0) {
      throw failure("Doubling a terminal's descriptor");
    }
    return copy;
  }

  private static IllegalStateException failure(String what) {
    return new IllegalStateException(
        what + " failed: " + LibC.strerror(Native.getLastError()) + ". Is /dev/pts mounted?");
  }
}
