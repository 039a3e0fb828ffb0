// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Finds the last lines of a file, reading it from its end. Stateless. */
final class LastLines {

  private static final int BLOCK = 1 << 16;

  private LastLines() {}

  /**
   * Where the last lines begin.
   *
   * @param end bytes of the file that count; more may be there
   * @param lines how many; a last line without an end counts as one
   */
  static long begin(FileChannel file, long end, int lines) throws IOException {
    if (lines == 0) {
      return end;
    }
    ByteBuffer block = ByteBuffer.allocate(BLOCK);
    long above = end;
    int seen = 0;
    while (above > 0) {
      long from = Math.max(0, above - BLOCK);
      read(file, block, from, (int) (above - from));
      for (int i = block.limit() - 1; i >= 0; i--) {
        // The end of the last line begins no other.
        if (block.get(i) == '\n' && from + i < end - 1) {
          seen++;
          if (seen == lines) {
            return from + i + 1;
          }
        }
      }
      above = from;
    }
    return 0;
  }

  private static void read(FileChannel file, ByteBuffer block, long from, int length)
      throws IOException {
    block.clear().limit(length);
    while (block.hasRemaining()) {
      if (file.read(block, from + block.position()) < 0) {
        throw new IOException("the log became shorter while it was read");
      }
    }
    block.flip();
  }
}
