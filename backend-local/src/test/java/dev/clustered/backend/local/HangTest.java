// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.Launcher;
import dev.clustered.model.RankExit.Part;
import dev.clustered.model.Resources;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Shape;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Workloads that hang, and some that only look so, with real processes. */
@Tag("integration")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@ExtendWith(NothingLeft.class)
class HangTest {

  private static final HangPolicy POLICY = HangPolicy.silentFor(Duration.ofSeconds(2));

  private static final Shape TWO_GPUS =
      new Shape("two", new Resources(2, "H100", 4, ByteSize.gibibytes(8)), 0, 0);

  private static final String BEATS =
      "beat() { for i in $(seq $1); do touch $CLUSTERED_HEARTBEAT_FILE; sleep 0.2; done; }; ";

  private static final String STACKS = "=== clustered: stacks before the end, since ";

  /** How it ended, and the logs of its ranks. */
  private record Ended(ClusterExit exit, List<String> logs) {
    Cause cause() {
      assertThat(exit.outcome()).as(exit.toString()).isEqualTo(Outcome.FAILED);
      return exit.cause().orElseThrow();
    }
  }

  private static Ended run(ClusterSpec spec) throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      List<String> logs = new ArrayList<>();
      for (int rank = 0; rank < spec.nodes(); rank++) {
        logs.add(log(cluster, LogQuery.ofRank(rank)));
      }
      return new Ended(exit, logs);
    }
  }

  private static String log(Cluster cluster, LogQuery query) throws Exception {
    try (LogStream log = cluster.logs(query)) {
      return log.lines().collect(Collectors.joining("\n"));
    }
  }

  @Test
  void allRanksSleepAndTheirStacksAreInTheirLogs() throws Exception {
    Ended ended = run(shell(2, "echo up; exec sleep 1000").hang(POLICY).build());
    Cause cause = ended.cause();
    assertThat(cause.code()).isEqualTo(ErrorCode.HUNG);
    assertThat(cause.rank()).isPresent();
    assertThat(cause.message()).contains("2.00 s", "all of them");
    assertThat(cause.evidence())
        .hasSize(2)
        .allMatch(line -> line.matches("rank \\d on node .* wrote nothing for .* s, used 0.*"));
    assertThat(ended.logs())
        .allSatisfy(
            log ->
                assertThat(log)
                    .startsWith("up\n")
                    .contains(STACKS + cause.message(), ": sleep", "waits in: ", "system call: ")
                    .contains("=== clustered: end of the stacks"));
    assertThat(ended.exit().ranks().stream().map(rank -> rank.part()))
        .containsExactlyInAnyOrder(Part.CULPRIT, Part.STOPPED);
  }

  @Test
  void theEvidenceSaysWhatWasSeenOfTheGpus() throws Exception {
    ClusterSpec spec = shell(1, "exec sleep 1000").gpus(2).hang(POLICY).build();
    try (ClusterEngine engine = engine(LocalBackend.builder().shape(TWO_GPUS));
        Cluster cluster = engine.launch(spec).await()) {
      String evidence = cluster.join().cause().orElseThrow().evidence().getFirst();
      // A machine of the tests may have a driver.
      assertThat(evidence)
          .containsAnyOf("GPUs cannot be seen: there is no libnvidia-ml.so.1", "GPU 0");
    }
  }

  @Test
  void theOneThatSleepsIsToBlameWhileTheOtherSpins() throws Exception {
    String line = "test $CLUSTERED_RANK = 1 && exec sleep 1000; while :; do :; done";
    Cause cause = run(shell(2, line).hang(POLICY).build()).cause();
    assertThat(cause.code()).isEqualTo(ErrorCode.HUNG);
    assertThat(cause.rank()).hasValue(1);
    assertThat(cause.message()).contains("1 of 2");
    assertThat(cause.evidence().get(0)).startsWith("rank 1 ").contains("of processor time");
    assertThat(cause.evidence().get(1)).startsWith("rank 0 ").contains("computed");
  }

  @Test
  void oneOfSeveralProcessesOfARankHangsWhileTheOthersCompute() throws Exception {
    String line = "test $RANK = 2 && exec sleep 1000; while :; do :; done";
    ClusterSpec spec =
        ClusterSpec.builder("several")
            .nodes(2)
            .launcher(Launcher.direct(2))
            .script(line)
            .hang(POLICY)
            .grace(Duration.ofSeconds(2))
            .build();
    Ended ended = run(spec);
    assertThat(ended.cause().code()).isEqualTo(ErrorCode.HUNG);
    assertThat(ended.cause().rank()).hasValue(1);
    assertThat(ended.cause().message()).contains("1 of 2");
    assertThat(ended.logs().get(1)).contains(": sleep", ": sh", "system call: ");
  }

  @Test
  void aRankHangsTogetherWithWhatStandsBesideItsCommand(@TempDir Path programs) throws Exception {
    ClusterSpec spec =
        ClusterSpec.builder("beside")
            .nodes(2)
            .launcher(Launcher.mpi())
            .command("solve")
            .environment("PATH", Programs.path(programs, "mpirun", "exec sleep 1000"))
            .hang(POLICY)
            .grace(Duration.ofSeconds(2))
            .build();
    Ended ended = run(spec);
    assertThat(ended.cause().code()).isEqualTo(ErrorCode.HUNG);
    assertThat(ended.logs().get(0)).contains(": sleep", "Full thread dump");
    assertThat(ended.logs().get(1)).contains("Full thread dump");
  }

  @Test
  void oneThatPrintsNowAndThenIsLeftAlone() throws Exception {
    String line =
        "test $CLUSTERED_RANK = 1 && exec sleep 5; for i in $(seq 12); do echo $i; sleep 0.4; done";
    assertThat(run(shell(2, line).hang(POLICY).build()).exit().outcome())
        .isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void oneThatHangsAfterTheOthersEndedIsFound() throws Exception {
    String line = "test $CLUSTERED_RANK = 1 && exec sleep 1000; exit 0";
    Cause cause = run(shell(2, line).hang(POLICY).build()).cause();
    assertThat(cause.code()).isEqualTo(ErrorCode.HUNG);
    assertThat(cause.rank()).hasValue(1);
  }

  @Test
  void oneThatComputesInSilenceIsLeftAlone() throws Exception {
    String line = "timeout 6 sh -c 'while :; do :; done'; exit 0";
    assertThat(run(shell(1, line).hang(POLICY).build()).exit().outcome())
        .isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void oneThatSleepsButGivesHeartbeatsIsLeftAlone() throws Exception {
    HangPolicy policy = POLICY.withHeartbeat(Duration.ofSeconds(60));
    assertThat(run(shell(1, BEATS + "beat 25").hang(policy).build()).exit().outcome())
        .isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void aHeartbeatThatStopsIsAHangHoweverBusyTheRankIs() throws Exception {
    String line = BEATS + "test $CLUSTERED_RANK = 0 && beat 9999; beat 3; while :; do echo x; done";
    HangPolicy policy =
        HangPolicy.silentFor(Duration.ofMinutes(5)).withHeartbeat(Duration.ofSeconds(3));
    // Its lines go elsewhere: they would fill the log.
    ClusterSpec spec = shell(2, "{ " + line + "; } > /dev/null").hang(policy).build();
    Cause cause = run(spec).cause();
    assertThat(cause.code()).isEqualTo(ErrorCode.HUNG);
    assertThat(cause.rank()).hasValue(1);
    assertThat(cause.message()).contains("rank 1 gave its last heartbeat", "the limit is 3.00 s");
  }

  @Test
  void pythonWritesWhereItHangsAndLeavesNoCoreFile(@TempDir Path cores) throws Exception {
    String program =
        """
        import os, resource, time
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))
        os.chdir(os.environ["CORES"])
        def stuck():
          time.sleep(1000)
        stuck()
        """;
    ClusterSpec spec =
        ClusterSpec.builder("python")
            .command("python3", "-c", program)
            .environment("CORES", cores.toString())
            .hang(POLICY)
            .build();
    Ended ended = run(spec);
    assertThat(ended.cause().code()).isEqualTo(ErrorCode.HUNG);
    assertThat(ended.logs().getFirst())
        .contains("asked with SIGABRT", "Fatal Python error: Aborted", "in stuck");
    assertThat(cores).isEmptyDirectory();
  }

  @Test
  void pythonIsAskedByPySpyWhereThatIs(@TempDir Path tools) throws Exception {
    Path spy = tools.resolve("py-spy");
    Files.writeString(spy, "#!/bin/sh\necho \"spied with $*\"\n");
    Files.setPosixFilePermissions(spy, PosixFilePermissions.fromString("rwx------"));
    ClusterSpec spec =
        ClusterSpec.builder("python")
            .command("python3", "-c", "import time; time.sleep(1000)")
            .environment("PATH", tools + ":" + System.getenv("PATH"))
            .hang(POLICY)
            .build();
    assertThat(run(spec).logs().getFirst())
        .contains("spied with dump --pid ")
        .doesNotContain("SIGABRT");
  }

  @Test
  void aJvmWritesItsThreads(@TempDir Path sources) throws Exception {
    Path source =
        Files.writeString(
            sources.resolve("Stuck.java"),
            """
            class Stuck {
              public static void main(String[] arguments) throws Exception {
                new java.util.concurrent.CountDownLatch(1).await();
              }
            }
            """);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ClusterSpec spec =
        ClusterSpec.builder("java").command(java, source.toString()).hang(POLICY).build();
    assertThat(run(spec).logs().getFirst())
        .contains("Full thread dump", "CountDownLatch.await", "Stuck.main");
  }

  @Test
  void beginsAgainAfterAHang() throws Exception {
    RestartPolicy policy =
        RestartPolicy.upTo(0)
            .withBudget(RestartCause.HUNG, 1)
            .withPause(Duration.ZERO, Duration.ZERO);
    ClusterSpec spec =
        shell(2, "test $CLUSTERED_ATTEMPT = 2 || exec sleep 1000; echo done")
            .hang(POLICY)
            .restart(policy)
            .build();
    Events events = new Events();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).withListener(events).await()) {
      assertThat(cluster.join().outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(cluster.attempt()).isEqualTo(2);
      assertThat(log(cluster, LogQuery.ofRank(1).ofAttempt(1))).contains(STACKS);
      assertThat(log(cluster, LogQuery.ofRank(1))).isEqualTo("done");
    }
    assertThat(events.of(ClusterEvent.AttemptFailed.class))
        .singleElement()
        .satisfies(failed -> assertThat(failed.cause().code()).isEqualTo(ErrorCode.HUNG));
  }
}
