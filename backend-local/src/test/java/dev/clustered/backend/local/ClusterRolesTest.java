// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.agentOf;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.on;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterContext;
import dev.clustered.ClusterEngine;
import dev.clustered.ClusterTask;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterNotice;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.Launcher;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.model.RankExit.EndedBy;
import dev.clustered.model.RankExit.Part;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Role;
import dev.clustered.model.Secret;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that are there for different things in one cluster, with real processes. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class ClusterRolesTest {

  private static final RestartPolicy AT_ONCE =
      RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO);

  /** Waits until the server is up. */
  private static final String WORK = "until test -e $SHARED/up; do sleep 0.02; done; ";

  /** Shows a rank what it is. */
  private static final String WHO =
      "echo $CLUSTERED_ROLE $CLUSTERED_ROLE_RANK of $CLUSTERED_ROLE_SIZE,"
          + " rank $CLUSTERED_RANK of $CLUSTERED_SIZE";

  private static ClusterSpec.Builder spec(Path shared, Role... roles) {
    ClusterSpec.Builder spec =
        ClusterSpec.builder("roles")
            .environment("SHARED", shared.toString())
            .grace(Duration.ofSeconds(30));
    List.of(roles).forEach(spec::role);
    return spec;
  }

  private static Role server(String line) {
    return Role.of("server", 1).command("sh", "-c", line).untilOthersEnd();
  }

  private static Role workers(String line) {
    return Role.of("worker", 3).command("sh", "-c", line);
  }

  private static List<String> lines(Cluster cluster) throws Exception {
    try (LogStream log = cluster.logs(LogQuery.all())) {
      return log.lines().sorted().collect(Collectors.toList());
    }
  }

  @Test
  void aServerThatRunsForEverIsAskedToEndOnceTheWorkersHaveSucceeded(@TempDir Path shared)
      throws Exception {
    String serve =
        "trap 'cp $CLUSTERED_NOTICE_FILE $SHARED/notice; sleep 0.5; echo saved; exit 0' TERM;"
            + " touch $SHARED/up; while :; do sleep 0.02; done";
    Instant before = Instant.now();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            engine.launch(spec(shared, server(serve), workers(WORK)).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).as("%s", exit).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.cause()).isEmpty();
      RankExit server = exit.ranks().getFirst();
      assertThat(server.by()).isEqualTo(EndedBy.ENGINE);
      assertThat(server.part()).isEqualTo(Part.STOPPED);
      assertThat(server.end()).contains(new ProcessEnd.Code(0));
      assertThat(server.obeyed()).isTrue();
      assertThat(server.logTail()).endsWith("saved\n");
      assertThat(exit.ranks().subList(1, 4))
          .allSatisfy(rank -> assertThat(rank.by()).isEqualTo(EndedBy.ITSELF));
      String notice = Files.readString(shared.resolve("notice"));
      assertThat(notice).contains("kind=" + ClusterNotice.Kind.STOP);
      String deadline =
          notice.lines().filter(line -> line.startsWith("deadline=")).findFirst().orElseThrow();
      assertThat(Instant.parse(deadline.substring("deadline=".length())))
          .isAfter(before.plusSeconds(30));
    }
  }

  @Test
  void aServerThatIgnoresTheRequestIsKilledAfterItsGraceAndTheClusterHasSucceeded(
      @TempDir Path shared) throws Exception {
    String serve = "trap '' TERM; touch $SHARED/up; while :; do sleep 1000; done";
    ClusterSpec spec =
        spec(shared, server(serve), workers(WORK)).grace(Duration.ofMillis(300)).build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).as("%s", exit).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.exitCode()).isZero();
      assertThat(exit.ranks().getFirst().end()).contains(new ProcessEnd.Signal(9));
      assertThat(exit.ranks().getFirst().obeyed()).isFalse();
    }
  }

  @Test
  void aServerMayEndWithAnyCodeWhenItIsAskedToEnd(@TempDir Path shared) throws Exception {
    String serve = "trap 'exit 7' TERM; touch $SHARED/up; while :; do sleep 0.02; done";
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            engine.launch(spec(shared, server(serve), workers(WORK)).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.ranks().getFirst().end()).contains(new ProcessEnd.Code(7));
    }
  }

  @Test
  void aServerThatEndsWellBeforeTheOthersIsNotMissed(@TempDir Path shared) throws Exception {
    String work = "until test -e $SHARED/over; do sleep 0.02; done";
    Events events = new Events();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            engine
                .launch(spec(shared, server("exit 0"), workers(work)).build())
                .withListener(events)
                .await()) {
      Eventually.within(Gangs.PATIENCE)
          .isTrue("the server has ended", () -> !events.of(ClusterEvent.RankEnded.class).isEmpty());
      Files.createFile(shared.resolve("over"));
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.ranks().getFirst().by()).isEqualTo(EndedBy.ITSELF);
    }
  }

  @Test
  void aServerThatCrashesFailsTheClusterAndIsNamed(@TempDir Path shared) throws Exception {
    String serve = "kill -s SEGV $$";
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            engine.launch(spec(shared, server(serve), workers(WORK)).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(exit.exitCode()).isEqualTo(128 + 11);
      Cause cause = exit.cause().orElseThrow();
      assertThat(cause.code()).isEqualTo(ErrorCode.RANK_FAILED);
      assertThat(cause.rank()).hasValue(0);
      assertThat(cause.message()).startsWith("rank 0 (server) ended with signal 11");
      assertThat(cause.evidence()).contains("rank 0 has the role server");
      assertThat(exit.ranks().getFirst().part()).isEqualTo(Part.CULPRIT);
      assertThat(exit.ranks().subList(1, 4))
          .allSatisfy(rank -> assertThat(rank.part()).isEqualTo(Part.STOPPED));
    }
  }

  @Test
  void aWorkersFailureEndsTheServerToo(@TempDir Path shared) throws Exception {
    String serve = "touch $SHARED/up; exec sleep 1000";
    String work = WORK + "test $CLUSTERED_ROLE_RANK = 1 && exit 5; exec sleep 1000";
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            engine.launch(spec(shared, server(serve), workers(work)).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.exitCode()).isEqualTo(5);
      assertThat(exit.cause().orElseThrow().rank()).hasValue(2);
      assertThat(exit.ranks().getFirst().part()).isEqualTo(Part.STOPPED);
    }
  }

  @Test
  void everyRankRunsWhatItsRoleSaysWithItsVariables(@TempDir Path shared) throws Exception {
    String show = WHO + ", $A $B $TOKEN";
    ClusterSpec spec =
        spec(
                shared,
                Role.of("leader", 1).command("sh", "-c", "echo leads; " + show),
                Role.of("trainer", 2).environment("A", "own").environment("B", "more"),
                Role.of("log", 1).script("#!/bin/sh\necho collects; " + show).environment("A", "2"))
            .environment("A", "common")
            .secret("TOKEN", Secret.of("secret-of-all"))
            .command("sh", "-c", show)
            .build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      assertThat(cluster.join().success()).isTrue();
      assertThat(cluster.nodes()).hasSize(4);
      assertThat(lines(cluster))
          .containsExactly(
              "[0] leader 0 of 1, rank 0 of 4, common secret-of-all",
              "[0] leads",
              "[1] trainer 0 of 2, rank 1 of 4, own more secret-of-all",
              "[2] trainer 1 of 2, rank 2 of 4, own more secret-of-all",
              "[3] collects",
              "[3] log 0 of 1, rank 3 of 4, 2 secret-of-all");
    }
  }

  @Test
  void afterARestartEveryRankHasItsRoleAgainAndTheServerIsStartedAnew(@TempDir Path shared)
      throws Exception {
    String serve = WHO + "; touch $SHARED/up; exec sleep 1000";
    String work =
        WHO + "; " + WORK + "test $CLUSTERED_ATTEMPT-$CLUSTERED_ROLE_RANK = 1-2 && exit 3; exit 0";
    ClusterSpec spec = spec(shared, server(serve), workers(work)).restart(AT_ONCE).build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.attempt()).isEqualTo(2);
      assertThat(lines(cluster)).isEqualTo(whoTheyAre());
    }
  }

  private static List<String> whoTheyAre() {
    return IntStream.range(0, 4)
        .mapToObj(
            rank ->
                rank == 0
                    ? "[0] server 0 of 1, rank 0 of 4"
                    : "[%d] worker %d of 3, rank %d of 4".formatted(rank, rank - 1, rank))
        .toList();
  }

  @Test
  void theNodeThatReplacesALostServersGetsTheServer(@TempDir Path shared) throws Exception {
    String serve = WHO + "; touch $SHARED/up$CLUSTERED_ATTEMPT; exec sleep 1000";
    String work = WHO + "; until test -e $SHARED/up2; do sleep 0.02; done";
    ClusterSpec spec =
        spec(shared, server(serve), workers(work)).restart(AT_ONCE).spares(1).build();
    Events events = new Events();
    try (ClusterEngine engine =
            on(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory()).open();
        Cluster cluster = engine.launch(spec).withListener(events).await()) {
      assertThat(agentOf(events.process(1, 0)).destroyForcibly()).isTrue();
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).as("%s", exit).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.attempt()).isEqualTo(2);
      assertThat(lines(cluster)).isEqualTo(whoTheyAre());
    }
  }

  @Test
  void aServerThatWaitsInSilenceIsNoHangAndWorkersThatHangAre(@TempDir Path shared)
      throws Exception {
    String serve = "touch $SHARED/up; exec sleep 1000";
    String work =
        WORK
            + "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo $i; sleep 0.2; done; exec"
            + " $LAST";
    HangPolicy policy = HangPolicy.silentFor(Duration.ofSeconds(2));
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      ClusterSpec.Builder spec = spec(shared, server(serve), workers(work)).hang(policy);
      try (Cluster cluster = engine.launch(spec.environment("LAST", "true").build()).await()) {
        assertThat(cluster.join().outcome()).isEqualTo(Outcome.SUCCEEDED);
      }
      ClusterSpec hangs =
          spec.environment("LAST", "sleep 1000").grace(Duration.ofSeconds(1)).build();
      try (Cluster cluster = engine.launch(hangs).await()) {
        Cause cause = cluster.join().cause().orElseThrow();
        assertThat(cause.code()).isEqualTo(ErrorCode.HUNG);
        assertThat(cause.rank().getAsInt()).isPositive();
      }
    }
  }

  /** Gives its place, or serves for ever. */
  public static final class ServesOrWorks implements ClusterTask<Void, String> {
    @Override
    public String run(ClusterContext context, Void input) throws Exception {
      if (context.role().equals("server")) {
        new Semaphore(0).acquire();
      }
      return "%s %d of %d".formatted(context.role(), context.roleRank(), context.roleSize());
    }
  }

  @Test
  void aTaskIsToldItsRoleAndResultsAreAskedOfThoseThatEndByThemselves(@TempDir Path shared)
      throws Exception {
    ClusterSpec spec =
        spec(shared, Role.of("server", 1).untilOthersEnd(), Role.of("worker", 2))
            .task(ServesOrWorks.class)
            .grace(Duration.ofSeconds(2))
            .build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      assertThat(cluster.results(String.class)).containsExactly("worker 0 of 2", "worker 1 of 2");
    }
  }

  @Test
  void aTaskOfARoleRunsBesideTheCommandOfAnother(@TempDir Path shared) throws Exception {
    ClusterSpec spec =
        spec(
                shared,
                server("touch $SHARED/up; exec sleep 1000"),
                Role.of("asked", 1).task(ServesOrWorks.class))
            .build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      assertThat(cluster.results(String.class)).containsExactly("asked 0 of 1");
    }
  }

  @Test
  void directRanksOfEveryRoleAreOneWorldAndServersAmongThemAreEndedPolitely(@TempDir Path shared)
      throws Exception {
    String who = "echo $CLUSTERED_ROLE $CLUSTERED_ROLE_RANK, process $RANK of $WORLD_SIZE";
    String serve =
        "#!/bin/sh\n"
            + "trap 'echo asked $RANK; exit 0' TERM; "
            + (who + "; touch $SHARED/up$LOCAL_RANK; while :; do sleep 0.02; done");
    String work = "#!/bin/sh\nuntil test -e $SHARED/up0 -a -e $SHARED/up1; do sleep 0.02; done; ";
    ClusterSpec spec =
        spec(
                shared,
                Role.of("server", 1).script(serve).untilOthersEnd(),
                Role.of("worker", 2).script(work + who))
            .launcher(Launcher.direct(2))
            .build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).as("%s", exit).isEqualTo(Outcome.SUCCEEDED);
      assertThat(lines(cluster))
          .filteredOn(line -> !line.endsWith("Terminated")) // A shell says so of its own sleep.
          .containsExactly(
              "[0] asked 0",
              "[0] asked 1",
              "[0] server 0, process 0 of 6",
              "[0] server 0, process 1 of 6",
              "[1] worker 0, process 2 of 6",
              "[1] worker 0, process 3 of 6",
              "[2] worker 1, process 4 of 6",
              "[2] worker 1, process 5 of 6");
    }
  }

  @Test
  void aPreviewCountsTheNodesOfAllRoles(@TempDir Path shared) {
    ClusterSpec spec = spec(shared, server("true"), workers("true")).build();
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(4))) {
      LaunchPreview preview = engine.launch(spec).plan();
      assertThat(preview.outcome()).isEqualTo(LaunchPreview.Outcome.LAUNCH);
      assertThat(preview.nodes())
          .singleElement()
          .extracting(LaunchPreview.Nodes::count)
          .isEqualTo(4);
    }
  }
}
