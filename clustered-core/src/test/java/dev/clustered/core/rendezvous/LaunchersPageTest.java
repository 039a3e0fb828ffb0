// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.Alias;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Launcher;
import dev.clustered.model.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every section of the page says what rank 1 of its example is given, and names it in a table. */
class LaunchersPageTest {

  private static final Pattern ROW = Pattern.compile("^\\| `(--)?(\\w+)`", Pattern.MULTILINE);
  private static final Pattern BLOCK =
      Pattern.compile("```text\\n(.*?)```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Place EXAMPLE =
      new Place(
          new ClusterId("cl-7"),
          1,
          1,
          List.of(new Member("fd00::1", List.of(0, 1), 2), new Member("fd00::2", List.of(0, 1), 2)),
          24_013,
          Optional.of(Secret.of("0123456789abcdef")),
          List.of());

  /** Programs and the secret; what they are for stands in words. */
  private static final List<String> NOT_SHOWN = List.of("remote", "ray.sh", "secret");

  private static ClusterSpec.Builder spec() {
    return ClusterSpec.builder("x").nodes(2).command("train.py");
  }

  static Stream<Arguments> sections() {
    return Stream.of(
        Arguments.of("torchrun", spec().launcher(Launcher.torchrun())),
        Arguments.of("torchrun, elastic", spec().launcher(Launcher.elasticTorchrun())),
        Arguments.of("accelerate", spec().launcher(Launcher.accelerate())),
        Arguments.of("DeepSpeed", spec().launcher(Launcher.deepSpeed())),
        Arguments.of("JAX", spec().launcher(Launcher.jax())),
        Arguments.of("Direct ranks", spec().launcher(Launcher.direct())),
        Arguments.of("MPI", spec().launcher(Launcher.mpi())),
        Arguments.of("Ray", spec().launcher(Launcher.ray())),
        Arguments.of("SkyPilot", spec().aliases(Alias.SKYPILOT)),
        Arguments.of("dstack", spec().aliases(Alias.DSTACK)),
        Arguments.of("Slurm", spec().aliases(Alias.SLURM)));
  }

  @ParameterizedTest
  @MethodSource("sections")
  void holdsToTheCode(String title, ClusterSpec.Builder builder) throws IOException {
    Place place = leads(title) ? leader() : EXAMPLE;
    HandOver handOver = HandOver.of(builder.build(), place, Map.of());
    String section = section(title);

    assertThat(ROW.matcher(section).results().map(LaunchersPageTest::name))
        .containsExactlyElementsOf(names(handOver, place));
    assertThat(BLOCK.matcher(section).results().map(block -> block.group(1)))
        .containsExactly(text(handOver, place));
  }

  /** Where only rank 0 has anything to show. */
  private static boolean leads(String title) {
    return title.equals("MPI") || title.equals("Ray");
  }

  private static Place leader() {
    return new Place(
        EXAMPLE.cluster(),
        EXAMPLE.attempt(),
        0,
        EXAMPLE.members(),
        EXAMPLE.port(),
        EXAMPLE.secret(),
        EXAMPLE.roles());
  }

  private static String name(MatchResult row) {
    return (row.group(1) == null ? "" : "--") + row.group(2);
  }

  private static List<String> names(HandOver handOver, Place place) {
    List<String> names = new ArrayList<>(added(handOver, place).keySet());
    handOver.preamble().processes().stream().limit(1).forEach(own -> names.addAll(own.keySet()));
    handOver.preamble().arguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(names::add);
    return names;
  }

  /** Variables, the line that is started, and files, as the page shows them. */
  private static String text(HandOver handOver, Place place) {
    StringBuilder text = new StringBuilder();
    added(handOver, place)
        .forEach(
            (name, value) ->
                text.append(name).append('=').append(value.replace("\n", "\\n")).append('\n'));
    if (!handOver.preamble().arguments().isEmpty()) {
      text.append(String.join(" ", handOver.preamble().arguments())).append(" train.py\n");
    }
    for (Map<String, String> process : handOver.preamble().processes()) {
      text.append(text.isEmpty() ? "" : "\n");
      process.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    }
    Map<String, String> files = new LinkedHashMap<>(handOver.preamble().files());
    files.keySet().removeAll(NOT_SHOWN);
    files.forEach((name, content) -> text.append("\n").append(name).append(":\n").append(content));
    return text.toString();
  }

  private static Map<String, String> added(HandOver handOver, Place place) {
    Map<String, String> added = new LinkedHashMap<>(handOver.contract());
    added.keySet().removeAll(Contract.variables(place).keySet());
    return added;
  }

  private static String section(String title) throws IOException {
    String page = Files.readString(Path.of("..", "docs", "guide", "launchers.md"));
    int start = page.indexOf("## " + title + "\n");
    assertThat(start).as("a section named %s", title).isNotNegative();
    int end = page.indexOf("\n#", start);
    return end < 0 ? page.substring(start) : page.substring(start, end);
  }
}
