// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The line by which rank 0 tells of an epoch in its log. Stateless and thread-safe. */
public final class EpochLine {
  private static final Pattern FORM =
      Pattern.compile(
          "epoch=(\\d{1,9}) loss=(\\d+\\.\\d+) accuracy=(\\d+\\.\\d+) microseconds=(\\d{1,15})");

  private EpochLine() {}

  /** The line of a report. */
  public static String format(EpochReport report) {
    return String.format(
        Locale.ROOT,
        "epoch=%d loss=%.6f accuracy=%.6f microseconds=%d",
        report.epoch(),
        report.loss(),
        report.accuracy(),
        report.took().toNanos() / 1_000);
  }

  /** The report in a line of a log, or nothing where the line says something else. */
  public static Optional<EpochReport> parse(String line) {
    Matcher matcher = FORM.matcher(line.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new EpochReport(
            Integer.parseInt(matcher.group(1)),
            Double.parseDouble(matcher.group(2)),
            Double.parseDouble(matcher.group(3)),
            Duration.ofNanos(Long.parseLong(matcher.group(4)) * 1_000)));
  }
}
