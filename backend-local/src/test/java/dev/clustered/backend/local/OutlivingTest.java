// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.signal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.Instance;
import dev.clustered.spi.Notice;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that outlive the program that launched them. */
@ExtendWith(NothingLeft.class)
class OutlivingTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir private Path directory;

  @Test
  void areFoundAgainByTheNextProgramWithEverythingTheyHad() throws Exception {
    List<Instance> launched;
    List<Long> agents;
    try (OpenBackend first = open()) {
      launched = first.launch("one", 2);
      agents = agents();
      assertThat(agents).hasSize(2);
    }
    assertThat(agents()).isEqualTo(agents);
    try (OpenBackend second = open()) {
      assertThat(second.listed()).isEqualTo(launched);
      assertThat(launched).allMatch(one -> one.state() == Instance.State.RUNNING);
      assertThat(second.capacity().list("somebody")).isEmpty();
      assertThat(second.offer("local.cpu").available()).isEqualTo(62);
      assertThat(second.launch("one", 2)).isEqualTo(launched);
      assertThat(agents()).isEqualTo(agents);
      List<Instance> more = second.launch("two", 1);
      assertThat(more.getFirst().addresses()).doesNotContainAnyElementsOf(addresses(launched));
      assertThat(more.getFirst().topology()).isNotIn(topologies(launched));
      second.terminate(launched);
      assertThat(second.listed()).isEqualTo(more);
      second.terminate(more);
      assertThat(second.capacity().notices()).isEmpty();
      assertThat(second.offer("local.cpu").available()).isEqualTo(64);
    }
    assertNothingIsLeft();
  }

  @Test
  void haveTheirDirectoryToOneProgramAtATime() throws Exception {
    try (OpenBackend first = open()) {
      for (int tries = 0; tries < 2; tries++) {
        ClusterException refused = catchThrowableOfType(ClusterException.class, this::open);
        assertThat(refused).as("the refusal of a second backend").isNotNull();
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING);
        assertThat(refused).hasMessageContainingAll(given().toString(), "in use");
      }
      first.terminate(first.launch("one", 1));
    }
    open().close();
    assertNothingIsLeft();
  }

  @Test
  void needADirectoryThatStays() {
    ClusterException refused =
        catchThrowableOfType(
            ClusterException.class,
            () ->
                OpenBackend.open(
                    LocalBackend.builder().agents(AgentPlace.OUTLIVING).factory(), directory));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING);
    assertThat(refused).hasMessageContainingAll("directory", "outliving");
  }

  @Test
  void areToldOfOnceWhenTheirAgentIsKilled() throws Exception {
    try (OpenBackend local = open()) {
      local.terminate(local.launch("zero", 1));
      Instance launched = local.launch("one", 1).getFirst();
      kill(agents());
      Notice notice = onlyNotice(local);
      assertThat(notice.node()).isEqualTo(launched.node());
      assertThat(notice.kind()).isEqualTo(Notice.Kind.ENDED);
      assertThat(notice.message()).contains("137");
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).isEmpty());
      assertThat(local.offer("local.cpu").available()).isEqualTo(64);
    }
    assertNothingIsLeft();
  }

  @Test
  void areToldOfWhenTheirAgentEndsAfterTheNextProgramTookThemOver() throws Exception {
    try (OpenBackend first = open()) {
      first.launch("one", 2);
    }
    try (OpenBackend second = open()) {
      kill(agents().subList(0, 1));
      Notice notice = onlyNotice(second);
      assertThat(notice.kind()).isEqualTo(Notice.Kind.ENDED);
      Eventually.within(PATIENCE).passes(() -> assertThat(second.listed()).hasSize(1));
      assertThat(second.launch("one", 2))
          .extracting(Instance::state)
          .containsExactlyInAnyOrder(Instance.State.RUNNING, Instance.State.ENDED);
      second.terminate(second.listed());
    }
    assertNothingIsLeft();
  }

  @Test
  void areToldOfAsLostWhenTheirAgentEndedWhileNoProgramLooked() throws Exception {
    List<Instance> launched;
    try (OpenBackend first = open()) {
      launched = first.launch("one", 2);
    }
    Path home = nodes().resolve(launched.getFirst().node().value());
    byte[] record = Files.readAllBytes(home.resolve("node.json"));
    kill(OutlivingAgents.of(home));
    Eventually.within(PATIENCE).passes(() -> assertThat(OutlivingAgents.of(home)).isEmpty());
    // As after a crash of the machine, which no guardian survives.
    Files.createDirectories(home);
    Files.write(home.resolve("node.json"), record);
    try (OpenBackend second = open()) {
      assertThat(second.listed()).isEqualTo(launched.subList(1, 2));
      Notice notice = onlyNotice(second);
      assertThat(notice.node()).isEqualTo(launched.getFirst().node());
      assertThat(second.launch("one", 2))
          .extracting(Instance::state)
          .containsExactly(Instance.State.ENDED, Instance.State.RUNNING);
      Eventually.within(PATIENCE).passes(() -> assertThat(home).doesNotExist());
      second.terminate(second.listed());
    }
    assertNothingIsLeft();
  }

  @Test
  void areUndoneWholeWhenTheRecordsOfTheirLaunchNeverSaidThatItRuns() throws Exception {
    List<Instance> launched;
    try (OpenBackend first = open()) {
      launched = first.launch("one", 2);
    }
    for (Instance instance : launched) {
      Path file = nodes().resolve(instance.node().value()).resolve("node.json");
      Files.writeString(file, Files.readString(file).replace("\"RUNNING\"", "\"PENDING\""));
    }
    try (OpenBackend second = open()) {
      assertThat(second.listed()).isEmpty();
      assertThat(second.capacity().notices()).isEmpty();
    }
    assertNothingIsLeft();
  }

  @Test
  void areEndedWhenTheirRecordCannotBeRead() throws Exception {
    List<Instance> launched;
    try (OpenBackend first = open()) {
      launched = first.launch("one", 1);
    }
    Path home = nodes().resolve(launched.getFirst().node().value());
    Files.writeString(home.resolve("node.json"), "no record");
    try (OpenBackend second = open()) {
      assertThat(second.listed()).isEmpty();
      assertThat(home).doesNotExist();
    }
    assertNothingIsLeft();
  }

  @Test
  void areFoundByAnyNameOfTheirDirectoryAndLeaveWhatElseLiesThere() throws Exception {
    Path other = Files.createDirectories(given()).resolve("notes").resolve("kept");
    Files.createDirectories(other);
    Path link = Files.createSymbolicLink(directory.resolve("link"), given());
    List<Instance> launched;
    try (OpenBackend first = open(link)) {
      launched = first.launch("one", 1);
    }
    try (OpenBackend second = open()) {
      assertThat(second.listed()).isEqualTo(launched);
      second.terminate(launched);
    }
    assertNothingIsLeft();
    assertThat(other).isDirectory();
  }

  @Test
  void keepNoSecretInTheirRecord() throws Exception {
    try (OpenBackend first = open()) {
      Instance launched = first.launch("one", 1).getFirst();
      String record =
          Files.readString(nodes().resolve(launched.node().value()).resolve("node.json"));
      assertThat(record).contains(launched.id(), "owner").doesNotContain("token-of-");
      first.terminate(List.of(launched));
    }
    assertNothingIsLeft();
  }

  private OpenBackend open() {
    return open(given());
  }

  private OpenBackend open(Path given) {
    return OpenBackend.open(
        LocalBackend.builder().agents(AgentPlace.OUTLIVING).directory(given).factory(), directory);
  }

  private Path given() {
    return directory.resolve("given");
  }

  private Path nodes() {
    return given().resolve("clustered-nodes");
  }

  private List<Long> agents() throws IOException {
    return OutlivingAgents.below(nodes());
  }

  private static void kill(List<Long> processes) throws Exception {
    for (long process : processes) {
      signal("KILL", ProcessHandle.of(process).orElseThrow());
    }
  }

  private static Notice onlyNotice(OpenBackend local) {
    List<Notice> notices = new ArrayList<>();
    Eventually.within(PATIENCE)
        .passes(
            () -> {
              notices.addAll(local.capacity().notices());
              assertThat(notices).hasSize(1);
            });
    assertThat(local.capacity().notices()).isEmpty();
    return notices.getFirst();
  }

  private static List<String> addresses(List<Instance> instances) {
    return instances.stream().flatMap(instance -> instance.addresses().stream()).toList();
  }

  private static List<Object> topologies(List<Instance> instances) {
    return instances.stream().<Object>map(Instance::topology).toList();
  }

  private void assertNothingIsLeft() throws IOException {
    assertThat(agents()).isEmpty();
    assertThat(nodes()).isEmptyDirectory();
  }
}
