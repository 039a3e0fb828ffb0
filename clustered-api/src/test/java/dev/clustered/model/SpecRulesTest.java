// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecRulesTest {

  @Test
  void aHangPolicyTakesLimitsOfMoreThanNothing() {
    assertThatThrownBy(
            () ->
                ClusterSpec.builder("x")
                    .command("true")
                    .hang(HangPolicy.silentFor(Duration.ZERO).withHeartbeat(Duration.ofDays(9_999)))
                    .build())
        .isInstanceOf(InvalidSpecException.class)
        .hasMessageContaining("hang.silent")
        .hasMessageContaining("hang.heartbeat");
  }

  @Test
  void acceptsTheSmallestSpecification() {
    ClusterSpec spec = ClusterSpec.builder("x").command("true").build();
    assertThat(spec.nodes()).isEqualTo(1);
    assertThat(spec.resources()).isEmpty();
  }

  @Test
  void namesEveryProblemWithItsFieldInTheOrderOfTheFields() {
    ClusterSpec.Builder broken =
        ClusterSpec.builder("a\nb")
            .nodes(-3)
            .shape(" ")
            .gpus("H2\0", -1)
            .cpus(-2)
            .command()
            .environment("CLUSTERED_RANK", "0")
            .environment("A=B", "v")
            .environment("NUL", "a\0b")
            .secret("NUL", Secret.of("s"))
            .file("../escape", new byte[0])
            .volume(new Volume("data", "/one"))
            .volume(new Volume("./data", "/two"))
            .volume(new Volume("empty", " "))
            .grace(Duration.ofSeconds(-1))
            .timeLimit(Duration.ZERO);
    assertThat(problems(broken))
        .extracting(InvalidSpecException.Problem::field)
        .containsExactly(
            "name",
            "nodes",
            "shape",
            "gpus",
            "cpus",
            "gpus",
            "command",
            "environment",
            "environment",
            "environment",
            "secret",
            "file",
            "volume",
            "volume",
            "grace",
            "timeLimit");
  }

  @Test
  void putsEveryProblemIntoTheMessage() {
    InvalidSpecException refused =
        refusal(ClusterSpec.builder("x").nodes(0).grace(Duration.ofSeconds(-1)));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SPEC);
    assertThat(refused.category()).isEqualTo(ErrorCategory.USER);
    assertThat(refused.retryable()).isFalse();
    assertThat(refused)
        .hasMessageContainingAll(
            "nodes: ", "received 0", "command: is missing", "grace: ", "PT-1S");
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 100_001, Integer.MAX_VALUE})
  void refusesImpossibleNumbersOfNodes(int nodes) {
    onlyProblem("nodes", "received " + nodes, spec -> spec.nodes(nodes));
  }

  @Test
  void refusesNamesThatPeopleCannotRead() {
    for (String name : List.of("", " \t", "x".repeat(201), "bell\u0007", "nul\0", "line\nbreak")) {
      ClusterSpec.Builder broken = ClusterSpec.builder(name).command("true");
      assertThat(problems(broken)).as(Names.printable(name)).isNotEmpty();
      assertThat(problems(broken)).extracting(p -> p.field()).containsOnly("name");
      assertThat(refusal(broken).getMessage()).doesNotContainPattern("\\p{Cntrl}");
    }
  }

  @Test
  void refusesWorkThatCannotRun() {
    onlyProblem("command", "is empty", ClusterSpec.Builder::command);
    onlyProblem("command", "is empty", spec -> spec.command(""));
    onlyProblem("command[1]", "NUL", spec -> spec.command("echo", "a\0b"));
    onlyProblem("script", "is empty", spec -> spec.script("  \n"));
    onlyProblem("script", "NUL", spec -> spec.script("echo \0"));
    assertThat(problems(ClusterSpec.builder("x")))
        .extracting(InvalidSpecException.Problem::field)
        .containsExactly("command");
  }

  @Test
  void refusesHalfACharacterBecauseNoBytesStandForIt() {
    onlyProblem("command[1]", "surrogate", spec -> spec.command("echo", "\ud83d"));
    onlyProblem("script", "surrogate", spec -> spec.script("echo \ud83d"));
    onlyProblem("environment", "surrogate", spec -> spec.environment("A", "\ud83d"));
    onlyProblem("secret", "surrogate", spec -> spec.secret("A", Secret.of("\ude80")));
  }

  @Test
  void acceptsAnEmptyArgumentAfterTheProgram() {
    assertThat(ClusterSpec.builder("x").command("printf", "").build().workload())
        .isEqualTo(new Workload.Command(List.of("printf", "")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A=B", "=", "A\0", "A\n", "CLUSTERED_", "CLUSTERED_CLUSTER_ID"})
  void refusesVariablesThatCannotBeOrAreOurs(String variable) {
    String shown = Names.printable(variable);
    onlyProblem("environment", shown, spec -> spec.environment(variable, "v"));
    onlyProblem("secret", shown, spec -> spec.secret(variable, Secret.of("v")));
  }

  @Test
  void refusesAVariableThatIsSecretAndPlain() {
    onlyProblem(
        "secret",
        "\"TOKEN\"",
        spec -> spec.environment("TOKEN", "a").secret("TOKEN", Secret.of("b")));
  }

  @Test
  void neverShowsAValueWhenItRefusesIt() {
    ClusterSpec.Builder broken =
        ClusterSpec.builder("x")
            .command("true")
            .environment("PLAIN", "plain-value\0")
            .secret("HIDDEN", Secret.of("hidden-value\0"));
    assertThat(refusal(broken).toString()).doesNotContain("plain-value", "hidden-value");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "../x", "a/../../x", "/abs", "a\0b", "a\nb", "a/.."})
  void refusesPathsOutsideTheWorkingDirectory(String path) {
    String shown = Names.printable(path);
    onlyProblem("file", shown, spec -> spec.file(path, new byte[0]));
    onlyProblem("volume", shown, spec -> spec.volume(new Volume(path, "/data")));
  }

  @ParameterizedTest
  @CsvSource({"data,data", "data,data/", "data,./data", "a/b,a/./b", "data,x/../data"})
  void refusesAVolumePathThatStandsTwice(String first, String second) {
    onlyProblem(
        "volume",
        "twice",
        spec -> spec.volume(new Volume(first, "/1")).volume(new Volume(second, "/2")));
  }

  @ParameterizedTest
  @CsvSource({"data,data", "data,./data", "data,data/part", "data/part,data"})
  void refusesAVolumeAndAFileInOnePlace(String volume, String file) {
    onlyProblem(
        "volume", "file", spec -> spec.volume(new Volume(volume, "/1")).file(file, new byte[0]));
  }

  @ParameterizedTest
  @CsvSource({"a,./a", "a,a/b", "a/b,a"})
  void refusesFilesThatCannotStandBesideOneAnother(String first, String second) {
    onlyProblem("file", "twice", spec -> spec.file(first, new byte[0]).file(second, new byte[0]));
  }

  @Test
  void refusesResourcesThatTakeNothingOrLessThanNothing() {
    onlyProblem("gpus", "received -1", spec -> spec.gpus(-1));
    onlyProblem("cpus", "received -1", spec -> spec.cpus(-1));
    onlyProblem("resources", "takes nothing", spec -> spec.gpus(0).cpus(0));
    onlyProblem("resources", "takes nothing", spec -> spec.memory(ByteSize.ZERO));
    onlyProblem("gpus", "control character", spec -> spec.gpus("H\n", 1));
  }

  @Test
  void refusesTimesThatCannotBe() {
    onlyProblem("grace", "PT-0.001S", spec -> spec.grace(Duration.ofMillis(-1)));
    onlyProblem("grace", "ten years", spec -> spec.grace(Duration.ofSeconds(Long.MAX_VALUE)));
    onlyProblem("timeLimit", "PT0S", spec -> spec.timeLimit(Duration.ZERO));
    onlyProblem("timeLimit", "ten years", spec -> spec.timeLimit(Duration.ofDays(100_000)));
  }

  @Test
  void refusesALogLimitBelowOneMebibyte() {
    ByteSize least = ByteSize.mebibytes(1);
    onlyProblem("logLimit", "or more", spec -> spec.logLimit(new ByteSize(least.bytes() - 1)));
    ClusterSpec spec = ClusterSpec.builder("x").command("true").logLimit(least).build();
    assertThat(spec.logLimit()).contains(least);
  }

  private static void onlyProblem(
      String field, String text, UnaryOperator<ClusterSpec.Builder> change) {
    List<InvalidSpecException.Problem> problems =
        problems(change.apply(ClusterSpec.builder("x").command("true")));
    assertThat(problems).hasSize(1);
    assertThat(problems.getFirst().field()).isEqualTo(field);
    assertThat(problems.getFirst().message()).contains(text);
  }

  private static List<InvalidSpecException.Problem> problems(ClusterSpec.Builder broken) {
    return refusal(broken).problems();
  }

  private static InvalidSpecException refusal(ClusterSpec.Builder broken) {
    InvalidSpecException refused = catchThrowableOfType(InvalidSpecException.class, broken::build);
    assertThat(refused).as("the refusal").isNotNull();
    return refused;
  }
}
