// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * That a directory is one program's alone. It is held by a lock of the kernel on a file in it, so
 * the lock of a program that has died is free, and the file goes away with the lock. Thread-safe.
 *
 * <p>The kernel's lock belongs to the process, and is lost as soon as the process closes any
 * descriptor of the file. So a second lock in one process is found out without opening the file:
 * from the descriptors that are open.
 */
public final class DirectoryLock implements AutoCloseable {

  private static final String NAME = ".lock";

  private final Path file;
  private final FileChannel channel;
  private boolean closed;

  private DirectoryLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes the lock of a directory that exists.
   *
   * @return empty while any program, this one included, has it
   */
  public static Optional<DirectoryLock> take(Path directory) throws IOException {
    synchronized (DirectoryLock.class) {
      Path file = directory.toRealPath().resolve(NAME);
      while (!openHere(file)) {
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
          locked = channel.tryLock() != null;
          if (locked && openHere(file)) {
            return Optional.of(new DirectoryLock(file, channel));
          }
        } catch (IOException e) {
          channel.close();
          throw e;
        }
        channel.close();
        if (!locked) {
          return Optional.empty();
        }
        // Whoever had it before has deleted the file meanwhile, so that was a lock on nothing.
      }
      return Optional.empty();
    }
  }

  /** Whether a file is that of a lock. */
  public static boolean isLock(Path file) {
    return file.endsWith(NAME);
  }

  @Override
  public void close() throws IOException {
    synchronized (DirectoryLock.class) {
      if (closed) {
        return;
      }
      closed = true;
      try (channel) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Whether this process has the file open that is there now; a deleted one reads otherwise. */
  private static boolean openHere(Path file) throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.anyMatch(descriptor -> leadsTo(descriptor, file));
    }
  }

  private static boolean leadsTo(Path descriptor, Path file) {
    try {
      return Files.readSymbolicLink(descriptor).equals(file);
    } catch (IOException e) {
      return false; // Closed by another thread meanwhile.
    }
  }
}
