// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.model.Alias;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.InvalidSpecException.Problem;
import dev.clustered.model.Launcher;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Role;
import dev.clustered.model.Secret;
import dev.clustered.model.SuccessPolicy;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

class SpecJsonTest {

  private static final int TRIES = 500;

  private static String write(ClusterSpec spec) {
    return Json.mapper().writeValueAsString(spec);
  }

  private static ClusterSpec read(String json) {
    return Json.mapper().readValue(json, ClusterSpec.class);
  }

  private static List<Problem> problems(String json) {
    return catchThrowableOfType(InvalidSpecException.class, () -> read(json)).problems();
  }

  @Test
  void theGuideShowsHow() {
    // region json
    ClusterSpec spec =
        ClusterSpec.builder("hello").nodes(2).command("sh", "-c", "echo $NODE_RANK").build();
    String json = Json.mapper().writeValueAsString(spec);
    ClusterSpec same = Json.mapper().readValue(json, ClusterSpec.class);
    // endregion
    assertThat(same).usingRecursiveComparison().isEqualTo(spec);
  }

  @Test
  void everySpecificationReadsBackAsItWasWritten() {
    long seed = System.nanoTime();
    RandomValues random = new RandomValues(seed);
    for (int i = 0; i < TRIES; i++) {
      ClusterSpec spec = RandomSpecs.of(random);
      String json = write(spec);
      ClusterSpec back = read(json);
      assertThat(back)
          .as("seed %d, try %d: %s", seed, i, json)
          .usingRecursiveComparison()
          .isEqualTo(spec);
      assertThat(List.copyOf(back.environment().keySet()))
          .containsExactlyElementsOf(spec.environment().keySet());
      assertThat(write(back)).isEqualTo(json);
    }
  }

  @Test
  void theFormIsStable() {
    ClusterSpec full =
        ClusterSpec.builder("full")
            .nodes(16)
            .shape("p5en.48xlarge")
            .gpus("H200", 8)
            .cpus(96)
            .memory(ByteSize.gibibytes(512))
            .command("torchrun", "train.py")
            .environment("B", "2")
            .environment("A", "1")
            .secret("TOKEN", Secret.of("hidden-value"))
            .file("conf/a.json", new byte[] {1, 2, 3})
            .volume(new Volume("data", "/srv/data"))
            .grace(Duration.ofSeconds(5))
            .timeLimit(Duration.ofMinutes(90))
            .build();
    assertThat(write(full))
        .isEqualTo(
            "{\"name\":\"full\",\"nodes\":16,\"shape\":\"p5en.48xlarge\",\"resources\":{\"gpus\":8,"
                + "\"gpuModel\":\"H200\",\"cpus\":96,\"memory\":549755813888},\"workload\":{\"type\":"
                + "\"Command\",\"arguments\":[\"torchrun\",\"train.py\"]},\"environment\":{\"B\":\"2\","
                + "\"A\":\"1\"},\"secrets\":{\"TOKEN\":\"***\"},\"files\":{\"conf/a.json\":\"AQID\"},"
                + "\"volumes\":[{\"path\":\"data\",\"source\":\"/srv/data\"}],\"grace\":\"PT5S\","
                + "\"timeLimit\":\"PT1H30M\"}");
  }

  @Test
  void rolesStandInTheirOrderWithWhatIsTheirOwn() {
    ClusterSpec spec =
        ClusterSpec.builder("ps")
            .role(Role.of("server", 1).command("serve").environment("A", "1").untilOthersEnd())
            .role(Role.of("worker", 4))
            .command("work")
            .build();
    assertThat(write(spec))
        .contains(
            ",\"nodes\":5,\"roles\":[{\"name\":\"server\",\"nodes\":1,\"workload\":"
                + "{\"type\":\"Command\",\"arguments\":[\"serve\"]},\"environment\":{\"A\":\"1\"},"
                + "\"untilOthersEnd\":true},{\"name\":\"worker\",\"nodes\":4,\"environment\":{}}],");
    assertThat(read(write(spec)).roles()).isEqualTo(spec.roles());
    assertThat(write(ClusterSpec.builder("x").command("true").build())).doesNotContain("roles");
  }

  @Test
  void aSpecificationAllOfWhoseRolesHaveTheirOwnWorkloadNeedsNoOther() {
    String json =
        "{\"name\":\"x\",\"roles\":[{\"name\":\"a\",\"workload\":"
            + "{\"type\":\"Script\",\"text\":\"true\"}}]}";
    assertThat(read(json).nodes()).isEqualTo(1);
    assertThat(read(json).workload()).isEqualTo(new Workload.Script("true"));
  }

  @Test
  void aWorkloadThatNobodyGaveTheSpecificationIsNotWritten() {
    Role server = Role.of("server", 1).command("serve").untilOthersEnd();
    ClusterSpec.Builder spec =
        ClusterSpec.builder("x").role(server).role(Role.of("worker", 4).command("work"));
    String json = write(spec.build());
    assertThat(json).doesNotContain("],\"workload\":");
    assertThatThrownBy(() -> read(json).toBuilder().role(Role.of("log", 1)).build())
        .isInstanceOf(InvalidSpecException.class)
        .hasMessageContaining("roles[2].command");
    ClusterSpec all = read(write(spec.command("all").build()));
    assertThat(all.workload()).isEqualTo(new Workload.Command(List.of("all")));
  }

  @Test
  void whatIsWrongWithARoleIsNamedWithItsPlace() {
    String json =
        "{\"name\":\"x\",\"nodes\":7,\"roles\":[{\"name\":\"a\",\"workload\":{\"type\":\"No\"}},"
            + "{\"nodes\":\"2\",\"spares\":1,\"untilOthersEnd\":\"yes\",\"environment\":{\"V\":1}}]}";
    assertThat(problems(json).stream().map(Problem::field))
        .containsExactlyInAnyOrder(
            "roles[0].workload.type",
            "roles[1].environment.V",
            "roles[1].untilOthersEnd",
            "roles[1].name",
            "roles[1].nodes",
            "roles[1].spares",
            "roles[1].command",
            "nodes");
  }

  @Test
  void aLauncherAndAliasesStandOnlyWhereTheyAreNotTheDefault() {
    ClusterSpec.Builder spec = ClusterSpec.builder("x").command("train.py");
    assertThat(write(spec.build())).doesNotContain("launcher", "aliases");
    spec.launcher(Launcher.elasticTorchrun()).aliases(Alias.SLURM, Alias.SKYPILOT);
    assertThat(write(spec.build()))
        .contains(
            "\"launcher\":{\"type\":\"Torchrun\",\"elastic\":true},"
                + "\"aliases\":[\"SKYPILOT\",\"SLURM\"],");
  }

  @Test
  void aLauncherOrAliasThatThereIsNotIsAProblem() {
    String json =
        """
        {"name": "x", "workload": {"type": "Command", "arguments": ["a"]},
         "launcher": {"type": "Slurm", "elastic": 1}, "aliases": ["SLURM", "LSF", 7]}
        """;
    assertThat(problems(json))
        .extracting(Problem::field)
        .containsExactly("launcher.type", "aliases", "aliases");
    assertThat(problems(json).getFirst().message()).contains("Torchrun", "DeepSpeed");
    assertThat(problems(json.replace("Slurm", "Torchrun")))
        .extracting(Problem::field)
        .contains("launcher.elastic");
    assertThat(problems(json.replace("Slurm", "Jax")))
        .extracting(Problem::field)
        .contains("launcher.elastic");
  }

  @Test
  void aRestartOrSuccessPolicyStandsOnlyWhereItIsNotTheDefault() {
    ClusterSpec.Builder spec = ClusterSpec.builder("x").command("train.py");
    assertThat(write(spec.build())).doesNotContain("restart", "success");
    spec.restart(RestartPolicy.upTo(3).withNever(Set.of(93, 2))).success(SuccessPolicy.LEADER);
    assertThat(write(spec.build()))
        .contains(
            "\"restart\":{\"restarts\":3,\"pause\":\"PT1S\",\"longestPause\":\"PT1M\","
                + "\"never\":[2,93],\"always\":[]},\"success\":\"LEADER\"");
  }

  @Test
  void aPolicyThatCannotBeIsAProblemOfItsField() {
    String json =
        """
        {"name": "x", "workload": {"type": "Command", "arguments": ["a"]},
         "restart": {"restarts": -1, "never": ["x", 300], "sometimes": [1]}, "success": "MOST"}
        """;
    assertThat(problems(json))
        .extracting(Problem::field)
        .contains(
            "restart.never", "restart.sometimes", "success", "restart.restarts", "restart.never");
  }

  @Test
  void whatIsLeftOutHasTheDefaultsOfTheBuilder() {
    ClusterSpec expected = ClusterSpec.builder("x").script("true").build();
    String json = "{\"name\":\"x\",\"workload\":{\"type\":\"Script\",\"text\":\"true\"}}";
    assertThat(read(json)).usingRecursiveComparison().isEqualTo(expected);
    String nulls = json.replace("{\"name\"", "{\"nodes\":null,\"volumes\":null,\"name\"");
    assertThat(read(nulls)).usingRecursiveComparison().isEqualTo(expected);
  }

  @Test
  void theInputOfATaskIsWrittenAgainAsItWas() {
    record Input(String text, List<Integer> numbers, Duration limit) {}
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .workload(
                new Workload.Task(
                    "com.example.Train",
                    java.util.Optional.of(new Input("é", List.of(1, 2), Duration.ofSeconds(9)))))
            .build();
    String json = write(spec);
    assertThat(json).contains("{\"text\":\"é\",\"numbers\":[1,2],\"limit\":\"PT9S\"}");
    assertThat(write(read(json))).isEqualTo(json);
  }

  @Test
  void aSecretIsWrittenByNameAndItsMarkerIsRefusedUntilAValueStandsThere() {
    ClusterSpec spec =
        ClusterSpec.builder("x").secret("TOKEN", Secret.of("hidden-value")).command("a").build();
    String json = write(spec);
    assertThat(json).contains("TOKEN").doesNotContain("hidden");
    assertThat(problems(json))
        .singleElement()
        .satisfies(problem -> assertThat(problem.field()).isEqualTo("secrets.TOKEN"))
        .satisfies(problem -> assertThat(problem.message()).contains("without its value"));
    assertThat(read(json.replace("***", "given")).secrets())
        .isEqualTo(Map.of("TOKEN", Secret.of("given")));
  }

  @Test
  void fieldsThatThereAreNotAreNamedWhereverTheyStand() {
    String json =
        """
        {"name": "x", "node": 4,
         "resources": {"gpus": 1, "gpu": 8},
         "workload": {"type": "Command", "arguments": ["a"], "shell": true},
         "volumes": [{"path": "a", "source": "/a"}, {"path": "b", "source": "/b", "mode": "ro"}]}
        """;
    assertThat(problems(json))
        .extracting(Problem::field)
        .containsExactly("resources.gpu", "workload.shell", "volumes[1].mode", "node");
    assertThat(problems(json).getLast().message()).contains("no field", "nodes", "timeLimit");
  }

  @Test
  void everyValueOfAnotherKindIsAProblemAndNoValueIsShown() {
    String json =
        """
        {"name": 5, "nodes": "four", "shape": ["hidden"],
         "resources": {"gpus": 1.5, "cpus": true, "memory": -1},
         "workload": {"type": "Command", "arguments": ["a", 7]},
         "environment": {"A": 1, "B": null}, "secrets": {"T": {"v": "hidden"}},
         "files": {"f": "not base64!"}, "volumes": [{"path": 1}, "hidden"],
         "grace": "soon", "timeLimit": 60}
        """;
    List<Problem> problems = problems(json);
    assertThat(problems)
        .extracting(Problem::field)
        .containsExactly(
            "name",
            "nodes",
            "shape",
            "resources.gpus",
            "resources.cpus",
            "resources.memory",
            "workload.arguments[1]",
            "environment.A",
            "environment.B",
            "secrets.T",
            "files.f",
            "volumes[0].path",
            "volumes[0].source",
            "volumes[1]",
            "volumes[1].path",
            "volumes[1].source",
            "grace",
            "timeLimit",
            "resources");
    assertThat(problems.toString()).doesNotContain("hidden");
  }

  @Test
  void whatTheBuilderRefusesIsRefusedTogetherWithTheRest() {
    String json =
        """
        {"name": " ", "nodes": 0, "bogus": 1, "workload": {"type": "Command", "arguments": []},
         "environment": {"A=B": "1", "CLUSTERED_RANK": "1"}, "grace": "PT-1S"}
        """;
    assertThat(problems(json))
        .extracting(Problem::field)
        .containsExactly(
            "bogus", "name", "nodes", "command", "environment", "environment", "grace");
  }

  @Test
  void aMissingOrUnknownWorkloadIsOneProblem() {
    assertThat(problems("{\"name\":\"x\"}")).extracting(Problem::field).containsExactly("command");
    assertThat(problems("{\"name\":\"x\",\"workload\":{\"type\":\"Dance\"}}"))
        .extracting(Problem::field)
        .containsExactly("workload.type");
    assertThat(problems("{\"name\":\"x\",\"workload\":{\"type\":\"Task\"}}"))
        .extracting(Problem::field)
        .containsExactly("workload.className");
    assertThat(problems("[]")).extracting(Problem::field).contains("specification", "name");
  }

  @Test
  void textThatIsNoJsonIsAnErrorOfTheMapper() {
    assertThatThrownBy(() -> read("{\"name\":")).isInstanceOf(JacksonException.class);
  }

  @Test
  void aMapperOfOnesOwnLearnsTheSameFromTheModule() {
    JsonMapper own = JsonMapper.builder().addModule(Json.module()).build();
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command("a").build();
    String json = own.writeValueAsString(spec);
    assertThat(json).isEqualTo(write(spec));
    assertThat(own.readValue(json, ClusterSpec.class)).usingRecursiveComparison().isEqualTo(spec);
  }
}
