// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import java.util.function.Supplier;

/**
 * What execve takes: bytes of one string, and bytes of all strings and their pointers together,
 * with the stack limit as it is and with the highest it may be raised to.
 */
record ExecLimits(long string, long total, long raisedTotal) {
  /** 32 pages less the zero at the end (MAX_ARG_STRLEN). */
  static final long STRING_BYTES = 131_071;

  /** The kernel takes a quarter of the stack, at least this much ... */
  private static final long LEAST_TOTAL = 131_072;

  /** ... and never more than this. */
  private static final long MOST_TOTAL = 6L << 20;

  private static final long STACK_FOR_MOST = 4 * MOST_TOTAL;
  private static final long LIMIT_BYTES = 16;

  static ExecLimits current() {
    try (Memory limit = new Memory(LIMIT_BYTES)) {
      LibC.getrlimit(LibC.RLIMIT_STACK, limit);
      return of(limit.getLong(0), limit.getLong(Long.BYTES));
    }
  }

  /** The limits for a soft and a hard stack limit; -1 stands for unlimited. */
  static ExecLimits of(long softStack, long hardStack) {
    return new ExecLimits(STRING_BYTES, totalFor(softStack), totalFor(hardStack));
  }

  private static long totalFor(long stack) {
    return stack < 0 ? MOST_TOTAL : Math.clamp(stack / 4, LEAST_TOTAL, MOST_TOTAL);
  }

  /**
   * Runs an action under a stack limit that lets the largest command through, and puts the old
   * limit back. The limit belongs to the whole JVM, hence the one lock.
   */
  static <T> T raised(Supplier<T> action) {
    synchronized (ExecLimits.class) {
      try (Memory old = new Memory(LIMIT_BYTES);
          Memory raised = new Memory(LIMIT_BYTES)) {
        LibC.getrlimit(LibC.RLIMIT_STACK, old);
        long hard = old.getLong(Long.BYTES);
        raised.setLong(0, hard < 0 ? STACK_FOR_MOST : Math.min(hard, STACK_FOR_MOST));
        raised.setLong(Long.BYTES, hard);
        LibC.setrlimit(LibC.RLIMIT_STACK, raised);
        try {
          return action.get();
        } finally {
          LibC.setrlimit(LibC.RLIMIT_STACK, old);
        }
      }
    }
  }
}
