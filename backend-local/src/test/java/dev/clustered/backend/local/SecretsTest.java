// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.ExecRequest;
import dev.clustered.Launch;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.RemoteProcess;
import dev.clustered.core.engine.MemoryStore;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Secret;
import dev.clustered.model.Volume;
import dev.clustered.testkit.ForwardedStore;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A secret reaches the ranks and is found nowhere else: a program of its own launches what works
 * and what fails in every way, shows all it is told, and logs at the lowest level.
 */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class SecretsTest {

  private static final String SECRET = "hunter2-that-must-not-be-seen";

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OUTLIVING")
  void aSecretIsFoundInNoOutputJournalCommandLineOrFile(AgentPlace place) throws Exception {
    Path output = directory.resolve("output");
    Path temporary = Files.createDirectory(directory.resolve("temporary"));
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + temporary,
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=trace",
                "-cp",
                System.getProperty("java.class.path"),
                Host.class.getName(),
                place.name(),
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      host.getOutputStream().write((SECRET + "\n").getBytes(StandardCharsets.UTF_8));
      host.getOutputStream().close();
      assertThat(host.waitFor()).as("%s", output).isZero();
    } finally {
      host.destroyForcibly().waitFor();
    }
    assertThat(Files.readString(output))
        .contains("the rank has it", "RANK_FAILED", "START_FAILED", "PREPARE_FAILED")
        .contains("INVALID_SPEC", "CANCELLED", "journal: ", "event: ", "DEBUG")
        .contains("ExecRequest[arguments=2", "have it", "EXEC_LIMIT")
        .doesNotContain(SECRET);
    assertThat(temporary).isEmptyDirectory();
  }

  /** Launches with the secret that its input gives. */
  static final class Host {

    private final ClusterEngine engine;
    private final Path directory;
    private final ClusterSpec.Builder spec;

    private Host(ClusterEngine engine, Path directory, String secret) {
      this.engine = engine;
      this.directory = directory;
      this.spec = ClusterSpec.builder("x").nodes(2).secret("TOKEN", Secret.of(secret));
    }

    public static void main(String[] arguments) throws Exception {
      String secret = new String(System.in.readAllBytes(), StandardCharsets.UTF_8).strip();
      try (ClusterEngine engine =
          Clusters.engine()
              .backend(LocalBackend.builder().agents(AgentPlace.valueOf(arguments[0])).factory())
              .idleNodeTime(Duration.ofMinutes(5))
              .listener(event -> System.out.println("event: " + event))
              .store(new Shown())
              .open()) {
        Host host = new Host(engine, Path.of(arguments[1]), secret);
        host.runs(secret);
        host.fails();
      }
    }

    private void runs(String secret) throws Exception {
      Path given = directory.resolve("given");
      String script = "printf %s \"$TOKEN\" > \"$GIVEN\"; echo up; exec sleep 1000";
      spec.environment("GIVEN", given.toString()).command("sh", "-c", script);
      Launch launch = engine.launch(spec.build());
      System.out.println(launch + " of " + spec.build() + spec.build().secrets());
      try (Cluster cluster = launch.await();
          LogStream log = cluster.logs(LogQuery.ofRank(0).following())) {
        log.bytes().readNBytes(3);
        if (Files.readString(given).equals(secret)) {
          System.out.println("the rank has it");
        }
        Files.delete(given);
        commandLines().forEach(System.out::println);
        besideARank(cluster, secret);
        System.out.println(cluster + " " + cluster.nodes() + engine.pool() + engine);
      }
    }

    /** Whoever puts a secret into a command shows it to {@code ps}, but not to more than that. */
    private static void besideARank(Cluster cluster, String secret) throws Exception {
      System.out.println(cluster.exec(0, List.of("echo", secret), Duration.ofMinutes(1)));
      ExecRequest request = ExecRequest.of("sh", "-c", "echo " + secret + "; exec sleep 1000");
      try (RemoteProcess process = cluster.exec(1, request)) {
        byte[] told = process.standardOutput().readNBytes(secret.length());
        if (new String(told, StandardCharsets.UTF_8).equals(secret)) {
          System.out.println(request + " and " + process + " have it");
        }
      }
      try {
        System.out.println(cluster.exec(0, request.command(), Duration.ofMillis(1)));
      } catch (ClusterException e) {
        e.printStackTrace(System.out);
      }
    }

    /** What {@code ps} shows of everything that runs. */
    private static List<String> commandLines() throws IOException {
      try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
        return processes
            .map(process -> process.resolve("cmdline"))
            .filter(Files::isReadable)
            .map(Host::text)
            .toList();
      }
    }

    private static String text(Path file) {
      try {
        return Files.readString(file, StandardCharsets.ISO_8859_1).replace('\0', ' ');
      } catch (IOException ended) {
        return "";
      }
    }

    private void fails() throws Exception {
      launch(spec.command("sh", "-c", "exit ${#TOKEN}"));
      launch(spec.command("no-such-program"));
      launch(spec.command("true").volume(new Volume("data", "/no/such/directory")));
      launch(spec.secret("NO=NAME", spec.build().secrets().get("TOKEN")));
    }

    private void launch(ClusterSpec.Builder failing) throws InterruptedException {
      try (Cluster cluster = engine.launch(failing.build()).await()) {
        System.out.println(cluster.join());
        System.out.println(cluster.results(String.class));
      } catch (ClusterException e) {
        e.printStackTrace(System.out);
      }
    }
  }

  /** A journal that shows its entries. */
  private static final class Shown extends ForwardedStore {

    Shown() {
      super(new MemoryStore());
    }

    @Override
    public long append(long epoch, List<String> events) {
      events.forEach(event -> System.out.println("journal: " + event));
      return super.append(epoch, events);
    }
  }

  @Test
  void filesThatHoldASecretMayBeReadByTheirOwnerAlone() throws Exception {
    String script =
        """
        stat -c '%a' "$CLUSTERED_ENVIRONMENT_FILE" "$(dirname "$CLUSTERED_ENVIRONMENT_FILE")" .
        grep -c hunter2 "$CLUSTERED_ENVIRONMENT_FILE"
        """;
    ClusterSpec spec =
        ClusterSpec.builder("x").secret("TOKEN", Secret.of(SECRET)).script(script).build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      assertThat(cluster.join().ranks().getFirst().logTail()).isEqualTo("600\n700\n700\n1\n");
    }
  }
}
