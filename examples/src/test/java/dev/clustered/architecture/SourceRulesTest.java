// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the class files do not show. */
class SourceRulesTest {

  private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0\n\n";
  private static final int MOST_LINES = 400;

  /** Split, so that this file does not find itself. */
  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "\\bTO"
              + "DO\\b|\\bFIX"
              + "ME\\b|\\bXX"
              + "X\\b|@auth"
              + "or|@Dis"
              + "abled\\b"
              + "|(?i:not (yet )?impl"
              + "emented)|(?i:moc"
              + "kito)|\"/wo"
              + "rk/"
              + "|^import (static )?[\\w.]+\\.\\*;",
          Pattern.MULTILINE);

  private static final Pattern SLEEP =
      Pattern.compile("\\b(Thread|SECONDS|MILLISECONDS)\\.sleep\\(");

  private final SourceTree tree = SourceTree.find();

  @Test
  void everyFileBeginsWithItsLicence() {
    assertThat(all())
        .filteredOn(file -> !SourceTree.read(file).startsWith(LICENCE))
        .as("files without the licence line")
        .isEmpty();
  }

  @Test
  void noFileIsTooLongToRead() {
    assertThat(all())
        .filteredOn(file -> SourceTree.read(file).lines().count() > MOST_LINES)
        .as("files of more than %d lines", MOST_LINES)
        .isEmpty();
  }

  @Test
  void noFileHasAForbiddenWord() {
    assertThat(all().stream().flatMap(file -> hits(FORBIDDEN, file).stream())).isEmpty();
  }

  @Test
  void noTestSleeps() {
    assertThat(tree.java("src/test/java").stream().flatMap(file -> hits(SLEEP, file).stream()))
        .isEmpty();
  }

  private List<Path> all() {
    List<Path> files = new ArrayList<>(tree.java("src/main/java"));
    files.addAll(tree.java("src/test/java"));
    assertThat(files).hasSizeGreaterThan(100);
    return files;
  }

  private static List<String> hits(Pattern pattern, Path file) {
    List<String> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(SourceTree.read(file));
    while (matcher.find()) {
      found.add(file + ": " + matcher.group());
    }
    return found;
  }
}
