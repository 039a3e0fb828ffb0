// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page on scenario files names every field and shows what really happens. */
class ScenariosPageTest {

  private static final Pattern EXAMPLE =
      Pattern.compile(
          "```json\\n(.*?)```\\n\\n<!-- scenario: (\\S+) -->\\n```text\\n(.*?)```", Pattern.DOTALL);

  private final String page = page();

  private static String page() {
    try {
      return Files.readString(Path.of("../docs/guide/scenarios.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource(Part.class)
  void namesEveryField(Part part) {
    String heading = "| " + part.definition() + " | takes | |\n";
    assertThat(page).contains(heading);
    String table = page.substring(page.indexOf(heading)).split("\n\n", 2)[0];
    assertThat(Pattern.compile("^\\| `(\\S+)`", Pattern.MULTILINE).matcher(table).results())
        .extracting(found -> found.group(1))
        .containsExactlyInAnyOrderElementsOf(part.fields());
  }

  @Test
  void showsFilesAndWhatTheCommandPrintsForThem() throws IOException {
    List<MatchResult> examples = EXAMPLE.matcher(page).results().toList();
    assertThat(examples).hasSize(3);
    for (MatchResult example : examples) {
      Path file = ScenarioFilesTest.FOLDER.resolve(example.group(2));
      String text = Files.readString(file).replaceFirst(" *\"\\$schema\".*\n", "");
      assertThat(example.group(1)).isEqualTo(text);
      assertThat(example.group(3).lines())
          .containsExactlyElementsOf(OutcomeText.lines(ScenarioRun.of(file)));
    }
  }
}
