// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.model.InvalidSpecException.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoleRulesTest {

  private static final Role SERVER = Role.of("server", 1).command("serve").untilOthersEnd();
  private static final Role WORKER = Role.of("worker", 4).command("work");

  private static ClusterSpec.Builder spec(Role... roles) {
    ClusterSpec.Builder spec = ClusterSpec.builder("x");
    for (Role role : roles) {
      spec.role(role);
    }
    return spec;
  }

  private static List<Problem> problems(ClusterSpec.Builder spec) {
    InvalidSpecException refused = catchThrowableOfType(InvalidSpecException.class, spec::build);
    assertThat(refused).as("the refusal").isNotNull();
    return refused.problems();
  }

  private static void onlyProblem(ClusterSpec.Builder spec, String field, String text) {
    List<Problem> problems = problems(spec);
    assertThat(problems).as("%s", problems).hasSize(1);
    assertThat(problems.getFirst().field()).isEqualTo(field);
    assertThat(problems.getFirst().message()).contains(text);
  }

  @Test
  void theGuideShowsHow() {
    // region roles
    ClusterSpec spec =
        ClusterSpec.builder("ps")
            .role(Role.of("server", 1).command("serve").untilOthersEnd())
            .role(Role.of("worker", 4).command("work", "--epochs", "3"))
            .build();
    // endregion
    assertThat(spec.nodes()).isEqualTo(5);
    assertThat(IntStream.range(-1, 6).mapToObj(rank -> spec.role(rank).map(Role::name)))
        .containsExactly(
            Optional.empty(),
            Optional.of("server"),
            Optional.of("worker"),
            Optional.of("worker"),
            Optional.of("worker"),
            Optional.of("worker"),
            Optional.empty());
    assertThat(spec).hasToString("ps: 5 nodes (1 server until the others end, 4 worker), whole");
  }

  @Test
  void withoutRolesNoRankHasOne() {
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command("true").build();
    assertThat(spec.roles()).isEmpty();
    assertThat(spec.role(0)).isEmpty();
  }

  @Test
  void aRoleIsChangedByCopies() {
    Role changed = WORKER.environment(Map.of("A", "1")).environment("B", "2").script("true");
    assertThat(changed.environment()).containsExactly(Map.entry("A", "1"), Map.entry("B", "2"));
    assertThat(changed.workload()).contains(new Workload.Script("true"));
    assertThat(WORKER.environment()).isEmpty();
    assertThat(WORKER.endsByItself()).isTrue();
    assertThat(WORKER.untilOthersEnd().endsByItself()).isFalse();
    assertThat(changed.toString()).doesNotContain("A", "B");
  }

  @Test
  void takesAsManyNodesAsItsRolesHave() {
    assertThat(spec(SERVER, WORKER).nodes(5).build().nodes()).isEqualTo(5);
    assertThat(spec(SERVER, WORKER).nodes(5, 5).build().minimumNodes()).isEqualTo(5);
    onlyProblem(spec(SERVER, WORKER).nodes(4), "nodes", "takes 5, the nodes of all roles");
    onlyProblem(spec(SERVER, WORKER).nodes(2, 5), "minimumNodes", "has no meaning with roles");
  }

  @Test
  void aCopyMayGetOneMoreRole() {
    Role log = Role.of("log", 2).command("log");
    ClusterSpec more = spec(SERVER, WORKER).build().toBuilder().role(log).build();
    assertThat(more.nodes()).isEqualTo(7);
    ClusterSpec first =
        ClusterSpec.builder("x").command("true").build().toBuilder().role(WORKER).build();
    assertThat(first.nodes()).isEqualTo(4);
  }

  @Test
  void aRoleThatACopyGetsNeverRunsWhatAnotherRoleDoes() {
    ClusterSpec none = spec(SERVER, WORKER).build();
    onlyProblem(none.toBuilder().role(Role.of("log", 2)), "roles[2].command", "is missing");
    ClusterSpec all = spec(SERVER, WORKER).command("log").build();
    assertThat(all.toBuilder().role(Role.of("log", 2)).build().workload())
        .isEqualTo(new Workload.Command(List.of("log")));
  }

  @Test
  void aRoleWithoutAWorkloadHasTheSpecifications() {
    ClusterSpec spec = spec(SERVER, Role.of("worker", 2)).command("work").build();
    assertThat(spec.workload()).isEqualTo(new Workload.Command(List.of("work")));
    onlyProblem(spec(Role.of("a", 1), WORKER), "roles[0].command", "is missing");
    assertThat(spec(SERVER, WORKER).build().workload())
        .isEqualTo(new Workload.Command(List.of("serve")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "-a", ".a", "a b", "a/b", "a,b", "ü", "a\n"})
  void refusesANameThatIsNone(String name) {
    onlyProblem(spec(Role.of(name, 1).command("true")), "roles[0].name", "1 to 63 letters");
  }

  @Test
  void takesNamesOfUpTo63Characters() {
    String name = "a".repeat(63);
    assertThat(spec(Role.of(name, 1).command("true")).build().roles()).hasSize(1);
    onlyProblem(spec(Role.of(name + "a", 1).command("true")), "roles[0].name", "1 to 63 letters");
  }

  @Test
  void refusesANameThatStandsTwice() {
    onlyProblem(spec(WORKER, WORKER), "roles[1].name", "stands twice: \"worker\"");
  }

  @Test
  void refusesSizesThatCannotBe() {
    onlyProblem(
        spec(Role.of("a", 0).command("true")), "roles[0].nodes", "takes 1 to 100000; received 0");
    onlyProblem(
        spec(Role.of("a", 60_000).command("a"), Role.of("b", 60_000).command("b")),
        "roles",
        "at most 100,000 nodes together; received 120,000");
    Role most = Role.of("most", Integer.MAX_VALUE).command("true");
    assertThat(problems(spec(most, WORKER)).stream().map(Problem::field))
        .contains("roles[0].nodes", "roles");
  }

  @Test
  void refusesMoreThanAHundred() {
    ClusterSpec.Builder many = ClusterSpec.builder("x").command("true");
    IntStream.range(0, 100).forEach(i -> many.role(Role.of("r" + i, 1)));
    assertThat(many.build().roles()).hasSize(100);
    onlyProblem(many.role(Role.of("r100", 1)), "roles", "takes 100 at most; received 101");
  }

  @Test
  void refusesThatNoneEndsByItself() {
    onlyProblem(spec(SERVER), "roles", "none that ends by itself");
  }

  @Test
  void refusesALeaderThatMayRunForEver() {
    onlyProblem(
        spec(SERVER, WORKER).success(SuccessPolicy.LEADER),
        "success",
        "the first role, \"server\", may run for ever");
    assertThat(spec(WORKER, SERVER).success(SuccessPolicy.LEADER).build().roles()).hasSize(2);
    assertThat(spec(SERVER, WORKER).success(SuccessPolicy.ANY_RANK).build().roles()).hasSize(2);
  }

  static Stream<Launcher> ofOneWorld() {
    return LauncherRulesTest.launchers().filter(launcher -> !(launcher instanceof Launcher.Direct));
  }

  @ParameterizedTest
  @MethodSource("ofOneWorld")
  void refusesALauncherThatMakesOneWorldOfAllNodes(Launcher launcher) {
    onlyProblem(spec(SERVER, WORKER).launcher(launcher), "launcher", "one world of all nodes");
  }

  @Test
  void directRanksOfAllRolesAreAsManyOnEachNode() {
    assertThat(spec(SERVER, WORKER).launcher(Launcher.direct(2)).build().roles()).hasSize(2);
    onlyProblem(
        spec(SERVER, WORKER.environment("PET_NPROC_PER_NODE", "2")).launcher(Launcher.direct()),
        "roles[1].environment",
        "is the same for all roles");
    assertThat(spec(WORKER.environment("PET_NPROC_PER_NODE", "2")).build().roles()).hasSize(1);
  }

  @Test
  void directRanksRunNoTaskInAnyRole() {
    Role task = Role.of("task", 1).workload(new Workload.Task("com.example.T", Optional.empty()));
    onlyProblem(spec(WORKER, task).launcher(Launcher.direct()), "launcher", "no Java task");
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        wrong("roles[0].command", "is empty", role -> role.command(List.of())),
        wrong("roles[0].command[1]", "NUL", role -> role.command("a", "b\0")),
        wrong("roles[0].script", "is empty", role -> role.script(" ")),
        wrong("roles[0].environment", "is no variable name", role -> role.environment("A=", "1")),
        wrong("roles[0].environment", "is reserved", role -> role.environment("CLUSTERED_X", "1")),
        wrong("roles[0].environment", "NUL", role -> role.environment("A", "\0")),
        wrong("roles[0].environment", "is a secret", role -> role.environment("TOKEN", "1")));
  }

  private static Arguments wrong(String field, String text, UnaryOperator<Role> change) {
    return Arguments.of(field, text, change);
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void refusesWhatNoProcessCanBeGiven(String field, String text, UnaryOperator<Role> change) {
    ClusterSpec.Builder spec = spec(change.apply(WORKER)).secret("TOKEN", Secret.of("hidden"));
    onlyProblem(spec, field, text);
  }

  @Test
  void aTaskOfWhichNobodyCanMakeOneIsRefusedWithItsRole() {
    assertThat(Role.of("a", 1).task(TaskRulesTest.Sound.class).workload())
        .contains(new Workload.Task(TaskRulesTest.Sound.class.getName(), Optional.empty()));
    assertThatThrownBy(() -> Role.of("a", 1).task(TaskRulesTest.Closed.class, 7).nodes())
        .isInstanceOf(InvalidSpecException.class)
        .hasMessageContainingAll("role \"a\"", "public constructor");
  }

  @Test
  void nullsAreNamed() {
    assertThatThrownBy(() -> spec((Role) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("the specification's role is null");
  }
}
