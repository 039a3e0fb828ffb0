// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LastLinesTest {

  @TempDir private Path directory;

  private String last(String text, int lines) throws IOException {
    return last(text, text.length(), lines);
  }

  private String last(String text, int end, int lines) throws IOException {
    Path file = directory.resolve("log");
    Files.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
    LogFiles log = new LogFiles(file, Long.MAX_VALUE);
    try (LogFiles.Reader reader = log.reader()) {
      return text.substring((int) LastLines.begin(reader, log::keptBefore, end, lines), end);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', 3, ''", "'a', 0, ''", "'a', 1, 'a'", "'a;b', 1, 'b'", "'a;b;', 1, 'b;'",
    "'a;b;', 2, 'a;b;'", "'a;b;', 9, 'a;b;'", "';;;', 2, ';;'", "'a;;', 1, ';'", "';', 1, ';'"
  })
  void aLastLineWithoutAnEndCountsAsOne(String text, int lines, String expected)
      throws IOException {
    assertThat(last(text.replace(';', '\n'), lines)).isEqualTo(expected.replace(';', '\n'));
  }

  @Test
  void aLineOfTenMegabytesIsOne() throws IOException {
    String line = "x".repeat(10_000_000) + "\n";
    assertThat(last("first\n" + line, 1)).isEqualTo(line);
    assertThat(last("first\n" + line, 2)).hasSize(line.length() + 6);
  }

  @Test
  void whatIsWrittenAfterTheEndThatCountsIsNotSeen() throws IOException {
    assertThat(last("a\nb\nc\nd\n", 4, 1)).isEqualTo("b\n");
  }

  @Test
  void findsWhatSplittingAllOfItFindsForAnyLines() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 40; round++) {
      List<String> lines = new ArrayList<>();
      for (int i = random.nextInt(60); i > 0; i--) {
        lines.add("y".repeat(random.nextInt(random.nextInt(10) == 0 ? 200_000 : 80)) + "\n");
      }
      if (random.nextBoolean()) {
        lines.add("no end");
      }
      int wanted = random.nextInt(lines.size() + 3);
      List<String> tail = lines.subList(Math.max(0, lines.size() - wanted), lines.size());
      assertThat(last(String.join("", lines), wanted))
          .as("seed %d round %d", seed, round)
          .isEqualTo(String.join("", tail));
    }
  }
}
