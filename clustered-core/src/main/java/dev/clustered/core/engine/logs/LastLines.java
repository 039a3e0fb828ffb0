// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;

/** Finds the last lines of a log, reading it from its end. Stateless. */
final class LastLines {

  private static final int BLOCK = 1 << 16;

  private LastLines() {}

  /**
   * Where the last lines begin.
   *
   * @param keptBefore where the bytes before a place begin that are there without a gap: lines are
   *     looked for as far as that
   * @param end bytes of the log that count; more may be there
   * @param lines how many; a last line without an end counts as one
   */
  static long begin(LogFiles.Reader log, LongUnaryOperator keptBefore, long end, int lines)
      throws IOException {
    if (lines == 0) {
      return end;
    }
    ByteBuffer block = ByteBuffer.allocate(BLOCK);
    long above = end;
    int seen = 0;
    while (above > 0) {
      long kept = keptBefore.applyAsLong(above);
      if (kept >= above) {
        return above; // What stands before it was dropped.
      }
      long from = Math.max(kept, above - BLOCK);
      if (!read(log, block, from, (int) (above - from))) {
        if (keptBefore.applyAsLong(above) == kept) {
          throw new IOException("a log ends before byte %d, which was stored".formatted(above));
        }
        continue; // It was dropped meanwhile.
      }
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

  private static boolean read(LogFiles.Reader log, ByteBuffer block, long from, int length)
      throws IOException {
    block.clear().limit(length);
    while (block.hasRemaining()) {
      if (log.read(from + block.position(), block) == 0) {
        return false;
      }
    }
    block.flip();
    return true;
  }
}
