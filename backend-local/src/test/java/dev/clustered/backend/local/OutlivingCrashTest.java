// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.program;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.LaunchId;
import dev.clustered.spi.Instance;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whenever a program is killed, the next one finds whole launches or nothing. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class OutlivingCrashTest {

  private static final int KILLS = 20;
  private static final int NODES = 4;
  private static final int LATEST_KILL_MILLIS = 1_200;

  @TempDir private Path directory;

  @Test
  void leavesWholeLaunchesOrNothing() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int found = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      int millis = random.nextInt(LATEST_KILL_MILLIS);
      List<String> said = killed("round-" + kill, millis);
      String when =
          "kill %d of seed %d, after %d ms, when it had said %s"
              .formatted(kill, seed, millis, said);
      try (OpenBackend next = open(given())) {
        List<Instance> listed = next.listed();
        found += listed.size();
        assertConsistent(when, said, listed);
        next.terminate(listed);
        assertThat(next.listed()).as(when).isEmpty();
        assertThat(next.offer("local.cpu").available()).as(when).isEqualTo(2 * NODES);
      }
      assertThat(OutlivingAgents.below(nodes())).as(when).isEmpty();
      assertThat(nodes()).as(when).isEmptyDirectory();
    }
    assertThat(found).as("nodes found after all kills of seed %d", seed).isPositive();
  }

  private static void assertConsistent(String when, List<String> said, List<Instance> listed) {
    Map<LaunchId, Integer> launches = new LinkedHashMap<>();
    listed.forEach(one -> launches.merge(one.launch(), 1, Integer::sum));
    launches.forEach(
        (launch, nodes) -> {
          // Of one that was being ended, any part may be left, and end by itself meanwhile.
          if (!said.contains("ending " + launch)) {
            assertThat(nodes).as("nodes of %s, %s", launch, when).isEqualTo(NODES);
          }
        });
    // What was answered and not ended is still there.
    said.stream()
        .filter(line -> line.startsWith("launched "))
        .map(line -> line.substring("launched ".length()))
        .filter(launch -> !said.contains("ending " + launch))
        .forEach(
            launch -> assertThat(launches).as(when).containsEntry(new LaunchId(launch), NODES));
  }

  /** What a program said that was killed so long after it had opened its backend. */
  private List<String> killed(String round, int millis) throws Exception {
    ProcessBuilder program = program(Host.class, directory, "-XX:TieredStopAtLevel=1");
    program.command().addAll(List.of(given().toString(), round));
    Process host = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> said = new ArrayList<>();
    try (BufferedReader lines = host.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("open");
      assertThat(host.waitFor(millis, TimeUnit.MILLISECONDS)).as("%s ended", round).isFalse();
      // By the handle: by the process itself, it would close what is still to be read.
      assertThat(host.toHandle().destroyForcibly()).isTrue();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
      }
    } finally {
      host.destroyForcibly();
      host.onExit().join();
    }
    return said;
  }

  private Path nodes() throws IOException {
    return given().resolve("clustered-nodes");
  }

  private Path given() throws IOException {
    return Files.createDirectories(directory.resolve("given")).toRealPath();
  }

  private static OpenBackend open(Path given) {
    return OpenBackend.open(
        LocalBackend.builder()
            .nodes(2 * NODES)
            .agents(AgentPlace.OUTLIVING)
            .directory(given)
            .factory(),
        given);
  }

  /** Launches and ends nodes until it is killed, and says what it has done and is about to do. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws InterruptedException {
      OpenBackend backend = open(Path.of(arguments[0]));
      // Once for nothing, so that no moment falls into the loading of classes.
      backend.terminate(backend.launch(arguments[1] + "-first", 1));
      System.out.println("open");
      for (int launch = 0; launch < Integer.MAX_VALUE; launch++) {
        String id = arguments[1] + "-" + launch;
        List<Instance> launched = backend.launch(id, NODES);
        System.out.println("launched " + id);
        System.out.println("ending " + id);
        backend.terminate(launched);
      }
    }
  }
}
