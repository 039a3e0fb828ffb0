// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Figures as a table for people and as JSON for machines. */
final class Report {

  private static final String ROW = "%-22s %12s %-8s %-10s %-34s %8s  %s%n";

  private Report() {}

  static void heading(PrintStream out) {
    out.printf(ROW, "figure", "value", "unit", "bar", "peer beside it", "ratio", "spread");
  }

  static void row(PrintStream out, Figure figure) {
    out.printf(
        ROW,
        figure.name(),
        number(figure.value()),
        figure.unit(),
        figure.bar().map(bar -> number(bar) + (figure.reached() ? " ok" : " MISSED")).orElse(""),
        figure.peer().map(peer -> peer + " " + number(figure.peerValue().orElseThrow())).orElse(""),
        figure.ratio().map("%.2f"::formatted).orElse(""),
        figure.note());
  }

  static void write(Path file, List<Figure> figures) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    Files.writeString(file, mapper.writeValueAsString(figures) + "\n");
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e6
        ? "%.0f".formatted(value)
        : "%.4g".formatted(value);
  }
}
