// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every scenario file: the planner does what it says. */
class ScenarioFilesTest {

  static final Path FOLDER = Path.of("src/test/resources/scenarios");

  static List<Path> files() throws IOException {
    return PlanCommand.files(FOLDER);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void isMet(Path file) throws IOException {
    Outcome outcome = ScenarioRun.of(file);

    assertThat(outcome.unmet())
        .as("%s%n", String.join(System.lineSeparator(), OutcomeText.lines(outcome)))
        .isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void expectsSomethingOfEveryPlanAndTellsItsStory(Path file) throws IOException {
    var tree = ScenarioReader.tree(file.toString(), java.nio.file.Files.readString(file));
    assertThat(tree.optional("story")).isPresent();
    assertThat(tree.optional("source")).isPresent();
    if (tree.optional("invalid").isPresent()) {
      return;
    }
    for (Scenario.Step step : ScenarioReader.read(file).steps()) {
      boolean expects =
          switch (step) {
            case Scenario.Turn turn -> turn.expected().isPresent();
            case Scenario.Run run -> run.expected().isPresent();
          };
      assertThat(expects).as("%s expects something at %s", file, step).isTrue();
    }
  }
}
