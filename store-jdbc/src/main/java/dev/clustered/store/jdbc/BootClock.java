// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The clock of one machine for all its processes: the time since its kernel was booted, which no
 * change of the wall clock moves, beside the identity of that boot. Where the kernel does not tell,
 * it is the wall clock, and whoever turns that ends leases early or late. Immutable and
 * thread-safe.
 */
final class BootClock {

  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final int MICROS_DIGITS = 6;

  private final Path uptime;
  private final Path boot;

  BootClock() {
    this(UPTIME, BOOT);
  }

  BootClock(Path uptime, Path boot) {
    this.uptime = uptime;
    this.boot = boot;
  }

  /** Now, rounded down to at most {@link Leases#CLOCK_STEP}. */
  Moment now() {
    try {
      String text = Files.readString(uptime);
      BigDecimal seconds = new BigDecimal(text.substring(0, text.indexOf(' ')));
      return new Moment(
          Files.readString(boot).strip(), seconds.movePointRight(MICROS_DIGITS).longValue());
    } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
      return new Moment("wall clock", Math.multiplyExact(System.currentTimeMillis(), 1_000L));
    }
  }
}
