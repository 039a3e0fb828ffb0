// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterContext;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterNotice;
import dev.clustered.model.ClusterNotice.Kind;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Notice;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.ForwardedCapacity;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Ranks are told of an end to come, with the time that is left. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class NoticesTest {

  private static final Instant DEADLINE =
      Instant.now().plusSeconds(120).truncatedTo(ChronoUnit.MILLIS);

  /** What the backend announces; changed by the tests. */
  private final List<Notice> announced = new CopyOnWriteArrayList<>();

  private ClusterEngine announcing() {
    return on(new ChangedBackend(
            LocalBackend.builder(),
            real ->
                new ForwardedCapacity(real) {
                  @Override
                  public List<Notice> notices() {
                    return with(real, announced);
                  }
                }))
        .open();
  }

  private static List<Notice> with(CapacityProvider real, List<Notice> more) {
    List<Notice> all = new CopyOnWriteArrayList<>(real.notices());
    all.addAll(more);
    return all;
  }

  private static List<String> lines(Cluster cluster) throws Exception {
    try (LogStream log = cluster.logs(LogQuery.all())) {
      return log.lines().sorted().collect(Collectors.toList());
    }
  }

  @Test
  void everyRankIsToldWhenABackendTakesOneNodeBack() throws Exception {
    Events events = new Events();
    String line =
        "until test -e $CLUSTERED_NOTICE_FILE; do sleep 0.05; done; cat $CLUSTERED_NOTICE_FILE";
    ClusterSpec spec = shell(3, line).build();
    try (ClusterEngine engine = announcing();
        Cluster cluster = engine.launch(spec).withListener(events).await()) {
      NodeId node = cluster.nodes().get(1).id();
      announced.add(
          new Notice(node, Notice.Kind.INTERRUPTION, Optional.of(DEADLINE), "spot\nis over"));
      assertThat(cluster.join().outcome()).isEqualTo(ClusterExit.Outcome.SUCCEEDED);
      for (int rank = 0; rank < 3; rank++) {
        String who = "[" + rank + "] ";
        assertThat(lines(cluster))
            .contains(
                who + "kind=INTERRUPTION",
                who + "rank=1",
                who + "deadline=" + DEADLINE,
                who + "message=spot is over");
      }
      assertThat(events.of(ClusterEvent.Noticed.class))
          .as("told once, however often the backend says it")
          .singleElement()
          .satisfies(told -> assertThat(told.notice().deadline()).contains(DEADLINE));
    }
  }

  @Test
  void anotherDeadlineIsToldAgain() throws Exception {
    Events events = new Events();
    String line = "until grep -q MAINTENANCE $CLUSTERED_NOTICE_FILE; do sleep 0.05; done";
    try (ClusterEngine engine = announcing();
        Cluster cluster = engine.launch(shell(2, line).build()).withListener(events).await()) {
      NodeId node = cluster.nodes().getFirst().id();
      announced.add(new Notice(node, Notice.Kind.INTERRUPTION, Optional.of(DEADLINE), "a"));
      Eventually.within(PATIENCE)
          .passes(() -> assertThat(events.of(ClusterEvent.Noticed.class)).hasSize(1));
      announced.clear();
      announced.add(
          new Notice(node, Notice.Kind.MAINTENANCE, Optional.of(DEADLINE.plusSeconds(9)), "b"));
      assertThat(cluster.join().outcome()).isEqualTo(ClusterExit.Outcome.SUCCEEDED);
    }
  }

  @Test
  void aRankSeesTheTimeThatIsLeftWhenItIsStopped() throws Exception {
    // The trap writes down what it reads, and the rank ends by itself well before the deadline.
    String line =
        "trap 'cat $CLUSTERED_NOTICE_FILE; exit 7' TERM; echo ready;"
            + " while true; do sleep 0.05; done";
    Duration grace = Duration.ofSeconds(40);
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(shell(2, line).grace(grace).build()).await()) {
      Eventually.within(PATIENCE)
          .passes(() -> assertThat(lines(cluster)).contains("[0] ready", "[1] ready"));
      Instant before = Instant.now();
      cluster.stop(grace);
      List<String> lines = lines(cluster);
      assertThat(lines).contains("[0] kind=STOP", "[1] kind=STOP");
      String deadline =
          lines.stream().filter(l -> l.startsWith("[1] deadline=")).findFirst().orElseThrow();
      assertThat(Instant.parse(deadline.substring("[1] deadline=".length())))
          .isBetween(before.plus(grace), Instant.now().plus(grace));
      assertThat(cluster.join().ranks())
          .allSatisfy(
              rank -> {
                assertThat(rank.end()).contains(new ProcessEnd.Code(7));
                assertThat(rank.obeyed()).isTrue();
              });
    }
  }

  @Test
  void theExitSaysWhoDidNotObey() throws Exception {
    String line =
        "test $CLUSTERED_RANK = 1 && trap '' TERM; echo ready; while true; do sleep 0.05; done";
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(shell(2, line).build()).await()) {
      Eventually.within(PATIENCE)
          .passes(() -> assertThat(lines(cluster)).contains("[0] ready", "[1] ready"));
      cluster.stop(Duration.ofMillis(300));
      ClusterExit exit = cluster.join();
      assertThat(exit.ranks().getFirst().obeyed()).isTrue();
      assertThat(exit.ranks().get(1).obeyed()).isFalse();
      assertThat(exit.ranks().get(1).end()).contains(new ProcessEnd.Signal(9));
    }
  }

  @Test
  void aJavaProgramHearsOfNoticesAndGivesItsProgress(@TempDir Path home) throws Exception {
    Path file = home.resolve("notice");
    ClusterContext context =
        ClusterContext.from(
            Map.of(
                "CLUSTERED_CLUSTER_ID", "cl-1",
                "CLUSTERED_ATTEMPT", "1",
                "CLUSTERED_RANK", "0",
                "CLUSTERED_SIZE", "1",
                "CLUSTERED_ADDRESSES", "127.0.0.1",
                "CLUSTERED_GPUS_PER_NODE", "0",
                "MASTER_PORT", "20000",
                "CLUSTERED_NOTICE_FILE", file.toString(),
                "CLUSTERED_PROGRESS_FILE", home.resolve("progress").toString()));
    assertThat(context.notice()).isEmpty();
    List<ClusterNotice> told = new CopyOnWriteArrayList<>();
    try (AutoCloseable listening = context.onNotice(told::add)) {
      Files.writeString(file, "kind=STOP\ndeadline=2026-01-01T00:00:00Z\nmessage=a=b\n");
      Eventually.within(PATIENCE).passes(() -> assertThat(told).isNotEmpty());
    }
    assertThat(told.getLast().kind()).isEqualTo(Kind.STOP);
    assertThat(told.getLast().deadline()).contains(Instant.parse("2026-01-01T00:00:00Z"));
    assertThat(told.getLast().message()).isEqualTo("a=b");
    context.progress(41);
    context.progress(42);
    assertThat(home.resolve("progress")).hasContent("42");
    try (var files = Files.list(home)) {
      assertThat(files).hasSize(2);
    }
  }
}
