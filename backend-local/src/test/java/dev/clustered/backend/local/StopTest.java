// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.LONG;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a running cluster is ended: asked first, killed after the grace, and gone on return. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class StopTest {

  private static final String STUBBORN =
      "trap '' TERM; touch \"$UP/$NODE_RANK\"; while :; do sleep 1000; done";

  @ParameterizedTest
  @EnumSource
  void letsTheChildOfAShellSaveItsWorkWithinTheGrace(Form form) throws Exception {
    String child =
        "trap \"echo saved; exit 0\" TERM; touch $UP/$NODE_RANK; while :; do sleep 0.02; done";
    String line = "sh -c '" + child + "'; echo the child ended with $?; exit 0";
    try (Meeting up = Meeting.open();
        ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(with(up, shell(2, line))))) {
      up.await(2);
      cluster.stop(LONG);
      ClusterExit exit = form.exit(cluster);
      assertThat(exit.outcome()).isEqualTo(Outcome.STOPPED);
      assertThat(exit.cause().orElseThrow().code()).isEqualTo(ErrorCode.CANCELLED);
      assertThat(exit.ranks())
          .allSatisfy(
              rank -> {
                assertThat(rank.by()).isEqualTo(EndedBy.ENGINE);
                assertThat(rank.logTail()).contains("saved");
              });
    }
  }

  @ParameterizedTest
  @EnumSource
  void killsAfterTheGraceWhatIgnoresTheRequest(Form form) throws Exception {
    try (Meeting up = Meeting.open();
        ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(with(up, shell(2, STUBBORN))))) {
      up.await(2);
      cluster.stop(Duration.ofMillis(200));
      assertKilled(form.exit(cluster));
    }
  }

  @Test
  void aShorterGraceOvertakesALongerOne() throws Exception {
    try (Meeting up = Meeting.open();
        ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(with(up, shell(2, STUBBORN).grace(LONG))).await()) {
      up.await(2);
      CompletableFuture<Void> patient = CompletableFuture.runAsync(cluster::close);
      cluster.stop(Duration.ZERO);
      patient.get(1, TimeUnit.MINUTES);
      assertKilled(cluster.join());
    }
  }

  private static void assertKilled(ClusterExit exit) {
    assertThat(exit.outcome()).isEqualTo(Outcome.STOPPED);
    assertThat(exit.ranks())
        .allSatisfy(
            rank -> {
              assertThat(rank.by()).isEqualTo(EndedBy.ENGINE);
              assertThat(rank.end()).contains(new ProcessEnd.Signal(9));
            });
  }

  @ParameterizedTest
  @EnumSource
  void endsGrandchildrenThatLeftTheirSessionAndIgnoreTheRequest(Form form) throws Exception {
    String grandchild = "trap \"\" TERM HUP; echo $$ >$UP/$NODE_RANK; while :; do sleep 1000; done";
    String line = "setsid sh -c '(" + "setsid sh -c \"$G\"" + " &)' & exec sleep 1000";
    ClusterSpec.Builder spec =
        shell(2, line).grace(Duration.ofMillis(200)).environment("G", grandchild);
    try (Meeting up = Meeting.open();
        ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(with(up, spec)))) {
      up.await(2);
      cluster.stop(Duration.ofMillis(200));
      assertThat(form.exit(cluster).outcome()).isEqualTo(Outcome.STOPPED);
      for (String rank : up.present()) {
        long left = Long.parseLong(Files.readString(up.directory().resolve(rank)).strip());
        assertThat(Gangs.runs(left)).isFalse();
      }
    }
  }

  @Test
  void returnsOnlyWhenThePortsOfItsRanksAreFree() throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Listening.class.getName());
    try (Meeting up = Meeting.open();
        ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            engine.launch(with(up, ClusterSpec.builder("x").command(command))).await()) {
      String address = cluster.leader().address();
      up.await(1);
      int port = Integer.parseInt(up.present().getFirst());
      cluster.stop(LONG);
      try (ServerSocket again = new ServerSocket()) {
        again.bind(new InetSocketAddress(InetAddress.getByName(address), port));
        assertThat(again.isBound()).isTrue();
      }
    }
  }

  /** Listens on its node's address until it is ended. */
  static final class Listening {

    private Listening() {}

    public static void main(String[] arguments) throws IOException {
      InetAddress own = InetAddress.getByName(System.getenv("MASTER_ADDR"));
      try (ServerSocket server = new ServerSocket(0, 1, own)) {
        Files.createFile(Path.of(System.getenv("UP"), Integer.toString(server.getLocalPort())));
        server.accept().close();
      }
    }
  }

  @Test
  void anInterruptedCloseStillEndsEverythingAndKeepsTheInterrupt() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      Cluster cluster = engine.launch(lasting(2)).await();
      Thread.currentThread().interrupt();
      cluster.close();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(cluster.state()).isEqualTo(ClusterState.ENDED);
      assertThat(engine.pool()).isEmpty();
      assertThat(cluster.exit()).isCompleted();
    }
  }

  @Test
  void anInterruptedJoinLeavesTheClusterRunning() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(lasting(2)).await()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(cluster::join).isInstanceOf(InterruptedException.class);
      assertThat(cluster.state()).isEqualTo(ClusterState.RUNNING);
      assertThat(cluster.exit().cancel(true)).isTrue();
      assertThat(cluster.exit()).isNotDone();
    }
  }

  @ParameterizedTest
  @EnumSource
  void changesNothingOnceItHasEnded(Form form) throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      Cluster cluster = form.ready(engine.launch(shell(2, "exit 7").build()));
      ClusterExit exit = form.exit(cluster);
      cluster.stop(Duration.ZERO);
      cluster.close();
      cluster.close();
      assertThat(form.exit(cluster)).isEqualTo(exit);
      assertThat(exit.exitCode()).isEqualTo(7);
      assertThat(engine.clusters()).isEmpty();
      assertThatThrownBy(() -> cluster.stop(Duration.ofSeconds(-1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("-1S");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTimeLimitAsksFirstAndIsNamedAsTheCause(Form form) throws Exception {
    String line = "trap 'echo saved; exit 0' TERM; while :; do sleep 0.02; done";
    ClusterSpec spec = shell(2, line).timeLimit(Duration.ofMillis(700)).build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(spec))) {
      ClusterExit exit = form.exit(cluster);
      assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(exit.exitCode()).isEqualTo(1);
      assertThat(exit.cause().orElseThrow().code()).isEqualTo(ErrorCode.TIME_LIMIT);
      assertThat(exit.cause().orElseThrow().message()).contains("PT0.7S");
      assertThat(exit.ranks())
          .allSatisfy(
              rank -> {
                assertThat(rank.by()).isEqualTo(EndedBy.ENGINE);
                assertThat(rank.logTail()).endsWith("saved\n");
              });
    }
  }

  private static ClusterSpec with(Meeting up, ClusterSpec.Builder spec) {
    return spec.environment("UP", up.path()).build();
  }
}
