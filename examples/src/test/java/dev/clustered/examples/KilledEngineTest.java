// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.backend.local.AgentPlace;
import dev.clustered.backend.local.LocalBackend;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Volume;
import dev.clustered.store.jdbc.SqliteStore;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A program with an engine that is killed again and again, at any moment, with SIGKILL. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class KilledEngineTest {

  private static final int KILLS = Integer.getInteger("kills", 5);

  @TempDir Path home;

  private static ClusterEngine open(Path home) {
    return Clusters.engine()
        .discovery(ClusterEngine.Builder.Discovery.OFF)
        .backend(
            LocalBackend.builder()
                .agents(AgentPlace.OUTLIVING)
                .directory(home.resolve("nodes"))
                .factory())
        .store(SqliteStore.open(home.resolve("state/engine.db")))
        .directory(home.resolve("state"))
        .leadership(Duration.ofSeconds(1))
        .open();
  }

  private static ClusterSpec spec(Path home) {
    String work =
        "echo $CLUSTERED_ATTEMPT $NODE_RANK >> out/starts; while [ ! -e out/go ]; do sleep 0.1;"
            + " done";
    return ClusterSpec.builder("survivor")
        .nodes(2)
        .volume(new Volume("out", home.resolve("out").toString()))
        .command("sh", "-c", work)
        .timeLimit(Duration.ofHours(1))
        .build();
  }

  /** Launches, or joins what was launched before, and waits until it is killed. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws Exception {
      Path home = Path.of(arguments[0]);
      ClusterEngine engine = open(home);
      Cluster cluster = engine.launch(spec(home)).detached().withIdempotencyKey("survivor").await();
      System.out.println("running " + cluster.id());
      System.out.println(cluster.join());
    }
  }

  private void runAndKill(long millis) throws Exception {
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + Files.createDirectories(home.resolve("tmp")),
                "-cp",
                System.getProperty("java.class.path"),
                Host.class.getName(),
                home.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    boolean ended = host.waitFor(millis, TimeUnit.MILLISECONDS);
    assertThat(ended).as("it runs until it is killed").isFalse();
    host.destroyForcibly();
    host.onExit().join();
  }

  @Test
  @Timeout(300)
  void whateverTheMomentThereIsOneClusterThatWasStartedOnce() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("seed: " + seed);
    Random random = new Random(seed);
    Files.createDirectories(home.resolve("out"));
    for (int i = 0; i < KILLS; i++) {
      runAndKill(500 + random.nextInt(4_500));
    }
    try (ClusterEngine engine = open(home)) {
      Cluster cluster = engine.launch(spec(home)).detached().withIdempotencyKey("survivor").await();
      assertThat(engine.clusters()).hasSize(1);
      assertThat(engine.pool()).hasSize(2);
      Files.createFile(home.resolve("out/go"));
      assertThat(cluster.join().outcome()).isEqualTo(ClusterExit.Outcome.SUCCEEDED);
      cluster.close();
      List<String> starts = Files.readAllLines(home.resolve("out/starts"));
      assertThat(starts).containsExactlyInAnyOrder("1 0", "1 1");
    }
    assertThat(home.resolve("state/life")).doesNotExist();
    try (Stream<Path> left = Files.list(home.resolve("tmp"))) {
      assertThat(left).noneMatch(path -> path.getFileName().toString().startsWith("clustered-"));
    }
  }
}
