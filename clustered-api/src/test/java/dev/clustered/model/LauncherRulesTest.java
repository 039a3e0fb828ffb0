// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.model.InvalidSpecException.Problem;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LauncherRulesTest {

  private static final Workload TASK = new Workload.Task("com.example.Train", Optional.empty());

  static Stream<Launcher> launchers() {
    return Stream.of(
        Launcher.torchrun(),
        Launcher.elasticTorchrun(),
        Launcher.accelerate(),
        Launcher.deepSpeed(),
        Launcher.jax(),
        Launcher.direct(),
        Launcher.direct(8),
        Launcher.mpi(),
        Launcher.mpi(8),
        Launcher.ray());
  }

  static Stream<Launcher> programs() {
    return launchers()
        .filter(
            launcher ->
                !(launcher instanceof Launcher.Jax
                    || launcher instanceof Launcher.Direct
                    || launcher instanceof Launcher.Ray));
  }

  private static List<Problem> problems(ClusterSpec.Builder spec) {
    return catchThrowableOfType(InvalidSpecException.class, spec::build).problems();
  }

  private static ClusterSpec.Builder spec(Launcher launcher) {
    return ClusterSpec.builder("x").launcher(launcher);
  }

  @Test
  void theGuideShowsHow() {
    // region launcher
    ClusterSpec spec =
        ClusterSpec.builder("train")
            .nodes(16)
            .gpus("H200", 8)
            .launcher(Launcher.torchrun())
            .command("train.py", "--epochs", "3")
            .build();
    // endregion
    assertThat(spec.launcher()).isEqualTo(Launcher.torchrun());
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void takesACommandForEveryLauncher(Launcher launcher) {
    ClusterSpec spec = spec(launcher).command("train.py").build();
    assertThat(spec.launcher()).isEqualTo(launcher);
    assertThat(spec.toBuilder().build().launcher()).isEqualTo(launcher);
  }

  @Test
  void startsTheCommandItselfWhenNoLauncherIsNamed() {
    ClusterSpec spec = ClusterSpec.builder("x").workload(TASK).build();
    assertThat(spec.launcher()).isEqualTo(Launcher.plain());
    assertThat(spec.aliases()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void refusesAJavaTask(Launcher launcher) {
    assertThat(problems(spec(launcher).workload(TASK)))
        .singleElement()
        .satisfies(problem -> assertThat(problem.field()).isEqualTo("launcher"))
        .satisfies(problem -> assertThat(problem.message()).contains("Java task"));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void refusesAScriptForALauncherThatStartsPrograms(Launcher launcher) {
    assertThat(problems(spec(launcher).script("true")))
        .singleElement()
        .satisfies(problem -> assertThat(problem.field()).isEqualTo("launcher"))
        .satisfies(problem -> assertThat(problem.message()).contains("no script"));
  }

  @Test
  void takesAScriptWhereTheLauncherOnlyGivesVariables() {
    for (Launcher launcher : List.of(Launcher.jax(), Launcher.direct(2), Launcher.ray())) {
      assertThat(spec(launcher).script("true").build().workload())
          .isEqualTo(new Workload.Script("true"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "1.5", "auto", "10001", "99999999999"})
  void refusesProcessesThatALauncherCannotCount(String processes) {
    for (Launcher launcher :
        List.of(Launcher.accelerate(), Launcher.deepSpeed(), Launcher.direct(), Launcher.mpi())) {
      assertThat(problems(spec(launcher).command("a").environment("PET_NPROC_PER_NODE", processes)))
          .singleElement()
          .satisfies(problem -> assertThat(problem.field()).isEqualTo("environment"))
          .satisfies(
              problem -> assertThat(problem.message()).contains("PET_NPROC_PER_NODE", processes));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 10_001})
  void refusesANumberOfProcessesThatNoNodeStarts(int processes) {
    for (Launcher launcher : List.of(Launcher.direct(processes), Launcher.mpi(processes))) {
      assertThat(problems(spec(launcher).command("a")))
          .singleElement()
          .satisfies(problem -> assertThat(problem.field()).isEqualTo("launcher"))
          .satisfies(
              problem ->
                  assertThat(problem.message()).contains("1 to 10000", "received " + processes));
    }
  }

  @Test
  void refusesTwoNumbersOfProcesses() {
    assertThat(
            problems(spec(Launcher.direct(2)).command("a").environment("PET_NPROC_PER_NODE", "4")))
        .singleElement()
        .satisfies(problem -> assertThat(problem.field()).isEqualTo("environment"))
        .satisfies(problem -> assertThat(problem.message()).contains("the 2 processes"));
  }

  @Test
  void takesWordsForProcessesWhereTorchrunReadsThem() {
    ClusterSpec.Builder spec =
        spec(Launcher.torchrun()).command("a").environment("PET_NPROC_PER_NODE", "auto");
    assertThat(spec.build().environment()).containsEntry("PET_NPROC_PER_NODE", "auto");
  }

  @Test
  void refusesASecretNumberOfProcessesThatWouldStandInArguments() {
    assertThat(
            problems(
                spec(Launcher.deepSpeed())
                    .command("a")
                    .secret("PET_NPROC_PER_NODE", Secret.of("hidden"))))
        .singleElement()
        .satisfies(problem -> assertThat(problem.field()).isEqualTo("secret"))
        .satisfies(problem -> assertThat(problem.message()).doesNotContain("hidden"));
  }

  @Test
  void keepsEveryAliasOnceInAFixedOrder() {
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .command("a")
            .aliases(Alias.SLURM, Alias.SKYPILOT)
            .aliases(Alias.SLURM)
            .build();
    assertThat(spec.aliases()).containsExactly(Alias.SKYPILOT, Alias.SLURM);
    assertThat(spec.toBuilder().build().aliases()).containsExactly(Alias.SKYPILOT, Alias.SLURM);
  }
}
