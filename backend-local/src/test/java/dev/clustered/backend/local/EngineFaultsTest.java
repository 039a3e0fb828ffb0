// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.core.engine.MemoryStore;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Node;
import dev.clustered.model.Offer;
import dev.clustered.model.Secret;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.ForwardedCapacity;
import dev.clustered.testkit.ForwardedStore;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to whole clusters when something around the engine fails. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class EngineFaultsTest {

  private static final String SECRET = "a-secret-that-must-not-be-seen";

  @TempDir private Path directory;

  @Test
  void aBackendThatCannotBeAskedForAMomentMakesAGangWaitAndRefusesNothing() throws Exception {
    List<ClusterEvent> events = new CopyOnWriteArrayList<>();
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command("true").build();
    try (ClusterEngine engine = Clusters.engine().backend(flaky(2)).open();
        Cluster cluster = engine.launch(spec).withListener(events::add).await()) {
      assertThat(cluster.join().success()).isTrue();
      Eventually.within(Duration.ofSeconds(5))
          .passes(
              () ->
                  assertThat(events)
                      .filteredOn(ClusterEvent.Waiting.class::isInstance)
                      .flatExtracting(event -> ((ClusterEvent.Waiting) event).reasons())
                      .hasAtLeastOneElementOfType(WaitReason.BackendUnreachable.class));
    }
  }

  @Test
  void aSecretStandsInNoJournalEventOrResultButReachesTheRank() throws Exception {
    List<ClusterEvent> events = new CopyOnWriteArrayList<>();
    Recording journal = new Recording();
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .secret("TOKEN", Secret.of(SECRET))
            .command("sh", "-c", "test ${#TOKEN} = " + SECRET.length() + " && exit 7")
            .build();
    try (ClusterEngine engine = Clusters.engine().store(journal).open();
        Cluster cluster = engine.launch(spec).withListener(events::add).await()) {
      var exit = cluster.join();
      assertThat(exit.exitCode()).isEqualTo(7);
      assertThat(exit.toString()).doesNotContain(SECRET);
      assertThat(cluster.spec().toString()).doesNotContain(SECRET);
    }
    assertThat(journal.entries).isNotEmpty().noneMatch(entry -> entry.contains(SECRET));
    assertThat(events.toString()).doesNotContain(SECRET);
  }

  @Test
  void twoEnginesInOneProgramDoNotDisturbOneAnother() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command("sleep", "1000").build();
    try (ClusterEngine one = Clusters.open()) {
      Cluster first = one.launch(spec).await();
      try (ClusterEngine other = Clusters.open()) {
        Cluster second = other.launch(spec.toBuilder().command("true").build()).await();
        assertThat(second.join().success()).isTrue();
      }
      assertThat(first.exit()).isNotDone();
      assertThat(one.pool()).hasSize(2);
      first.stop(Duration.ZERO);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OUTLIVING")
  void aKilledHostLeavesNoProcessAndNoDirectoryWithinFiveSeconds(AgentPlace place)
      throws Exception {
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                Host.class.getName(),
                place.name())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<ProcessHandle> started;
    try (BufferedReader lines = host.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("running");
      started = host.descendants().toList();
      assertThat(directory).isNotEmptyDirectory();
    } finally {
      host.destroyForcibly();
      host.onExit().join();
    }
    assertThat(started).hasSizeGreaterThanOrEqualTo(4);
    Eventually.within(Duration.ofSeconds(5))
        .passes(
            () -> {
              assertThat(started).noneMatch(ProcessHandle::isAlive);
              try (var left = Files.list(directory)) {
                assertThat(left)
                    .noneMatch(path -> path.getFileName().toString().startsWith("clustered-"));
              }
            });
  }

  /** Runs a cluster until it is killed. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws Exception {
      ClusterSpec spec =
          ClusterSpec.builder("x")
              .nodes(2)
              .command("sh", "-c", "echo up; (setsid sleep 1000 &); sleep 1000")
              .build();
      ClusterEngine engine =
          Clusters.engine()
              .backend(LocalBackend.builder().agents(AgentPlace.valueOf(arguments[0])).factory())
              .open();
      Cluster cluster = engine.launch(spec).await();
      System.out.println("running");
      System.out.println(cluster.join());
    }
  }

  @Test
  void nodesWhoseLevelsLieOtherwiseAreGivenBackAndTheOthersServeOn() throws Exception {
    ClusterSpec one = ClusterSpec.builder("x").nodes(1).command("true").build();
    ClusterSpec two = ClusterSpec.builder("x").nodes(2).command("true").build();
    ChangedBackend backend = new ChangedBackend(LocalBackend.builder(), TwoOrders::new);
    try (ClusterEngine engine =
        Clusters.engine().backend(backend).idleNodeTime(Duration.ofHours(1)).open()) {
      try (Cluster cluster = engine.launch(two).await()) {
        assertThat(cluster.join().success()).isTrue();
      }
      Eventually.within(Duration.ofMinutes(1)).passes(() -> assertThat(engine.pool()).hasSize(1));
      try (Cluster cluster = engine.launch(one).await()) {
        assertThat(cluster.nodes())
            .extracting(Node::id)
            .containsExactly(engine.pool().getFirst().id());
        assertThat(cluster.join().success()).isTrue();
      }
    }
  }

  /** The local backend, which cannot be asked for offers the first times. */
  private static ChangedBackend flaky(int times) {
    AtomicInteger failures = new AtomicInteger(times);
    return new ChangedBackend(LocalBackend.builder(), real -> new FlakyCapacity(real, failures));
  }

  private static final class FlakyCapacity extends ForwardedCapacity {
    private final AtomicInteger failures;

    FlakyCapacity(CapacityProvider real, AtomicInteger failures) {
      super(real);
      this.failures = failures;
    }

    @Override
    public List<Offer> offers() {
      if (failures.getAndDecrement() > 0) {
        throw new IllegalStateException("no answer");
      }
      return super.offers();
    }
  }

  /** Reports the levels of every second node from the inside out. */
  private static final class TwoOrders extends ForwardedCapacity {
    private final AtomicInteger nodes = new AtomicInteger();

    TwoOrders(CapacityProvider real) {
      super(real);
    }

    @Override
    public List<Instance> launch(LaunchRequest request) throws InterruptedException {
      return super.launch(request).stream().map(this::turned).toList();
    }

    private Instance turned(Instance instance) {
      List<TopologyPath.Level> levels = new ArrayList<>(instance.topology().levels());
      levels.add(new TopologyPath.Level("rack", "r"));
      if (nodes.getAndIncrement() % 2 == 1) {
        Collections.reverse(levels);
      }
      return new Instance(
          instance.id(),
          instance.node(),
          instance.launch(),
          instance.owner(),
          instance.offer(),
          new TopologyPath(levels),
          instance.addresses(),
          instance.state());
    }
  }

  /** A journal whose entries can be looked at. */
  private static final class Recording extends ForwardedStore {
    private final List<String> entries = new CopyOnWriteArrayList<>();

    Recording() {
      super(new MemoryStore());
    }

    @Override
    public long append(long epoch, List<String> events) {
      entries.addAll(events);
      return super.append(epoch, events);
    }
  }
}
