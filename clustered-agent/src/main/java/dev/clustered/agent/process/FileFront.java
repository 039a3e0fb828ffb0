// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The beginning of a growing file, whose blocks are given back to the file system while the file
 * keeps its size and every later byte its place. Reads as zeros then. Where the file system cannot,
 * nothing is given back. Not thread-safe.
 */
public final class FileFront {

  private static final Logger LOGGER = LoggerFactory.getLogger(FileFront.class);

  /** Each call costs the kernel a lock of the file that whoever writes waits for. */
  private static final long STEP = 1 << 20;

  /** Of what could be given back, for people who look at the file itself. */
  private static final long KEPT = 64 * 1024;

  private static final long BLOCK = 4_096;

  private final Path file;
  private long freed;
  private boolean able = true;

  /** A file of which nothing has been given back yet. */
  public FileFront(Path file) {
    this.file = file;
  }

  /** Where the bytes begin that are still there. */
  public long freed() {
    return freed;
  }

  /**
   * Nobody needs the bytes before an offset any more; gives most of them back, now or later.
   *
   * @param offset at most the size of the file
   */
  public void free(long offset) {
    long until = (offset - KEPT) / BLOCK * BLOCK;
    if (able && until - freed >= STEP) {
      int errno = punch(freed, until - freed);
      if (errno == 0) {
        freed = until;
      } else {
        able = false;
        LOGGER.debug("A log keeps its blocks file={} reason=\"{}\"", file, LibC.strerror(errno));
      }
    }
  }

  /** The error number; zero when it is done. */
  private int punch(long from, long length) {
    int descriptor = open();
    if (descriptor < 0) {
      return Native.getLastError();
    }
    try {
      int mode = LibC.FALLOC_FL_PUNCH_HOLE | LibC.FALLOC_FL_KEEP_SIZE;
      while (LibC.fallocate(descriptor, mode, from, length) != 0) {
        int errno = Native.getLastError();
        if (errno != LibC.EINTR) {
          return errno;
        }
      }
      return 0;
    } finally {
      LibC.close(descriptor);
    }
  }

  private int open() {
    try (Memory path = CStrings.path(file)) {
      return LibC.open(path, LibC.O_WRONLY | LibC.O_CLOEXEC, 0);
    }
  }
}
