// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.program;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.ExecResult;
import dev.clustered.testkit.NothingLeft;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Commands beside a rank in a program that may open few files. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class ExecOpenFilesTest {

  private static final int LIMIT = 320;
  private static final int AT_ONCE = 40;

  @TempDir private Path directory;

  @Test
  void oneForWhichThereIsNoRoomIsRefusedWithTheLimitAndHarmsNobody() throws Exception {
    List<String> told = run("few");
    assertThat(told).hasSize(3);
    assertThat(told.get(0))
        .startsWith("not started (code 126): ")
        .contains("may have " + LIMIT, "are open", "ulimit -n");
    assertThat(told.get(1)).isEqualTo("exit code 0 hello");
    assertThat(told.get(2)).isEqualTo("the rank runs");
  }

  @Test
  void ofManyAtOnceEachRunsOrIsRefusedAndTheRankGoesOn() throws Exception {
    List<String> told = run("many");
    assertThat(told).hasSize(AT_ONCE + 2);
    assertThat(told.subList(0, AT_ONCE))
        .allMatch(
            line ->
                line.equals("exit code 0 hello")
                    || (line.startsWith("not started (code 126): ") && line.contains("ulimit -n")))
        .anyMatch(line -> line.startsWith("exit code 0"))
        .anyMatch(line -> line.startsWith("not started (code 126): "));
    assertThat(told.get(AT_ONCE)).isEqualTo("exit code 0 hello");
    assertThat(told.get(AT_ONCE + 1)).isEqualTo("the rank runs");
  }

  /** What the host program says, of which every process may open few files. */
  private List<String> run(String what) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("sh", "-c", "ulimit -n %d; exec \"$@\"".formatted(LIMIT), "sh"));
    command.addAll(program(Host.class, directory, "-Xmx256m").command());
    command.add(what);
    Process host =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String told = new String(host.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(host.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(host.exitValue()).as(told).isZero();
      return told.lines().toList();
    } finally {
      host.destroyForcibly();
    }
  }

  /** Runs commands beside a rank, and says what became of each. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws Exception {
      try (ClusterEngine engine = Gangs.engine(LocalBackend.builder());
          Cluster cluster = engine.launch(shell(1, "exec sleep 1000").build()).await()) {
        String warm = hello(cluster);
        if (arguments[0].equals("few")) {
          List<Closeable> files = fill();
          String refused = hello(cluster);
          for (Closeable file : files) {
            file.close();
          }
          System.out.println(refused);
        } else {
          many(cluster).forEach(System.out::println);
        }
        System.out.println(hello(cluster));
        System.out.println(
            cluster.exit().isDone() || !warm.endsWith("hello") ? "it does not" : "the rank runs");
      }
    }

    private static String hello(Cluster cluster) {
      try {
        List<String> command = List.of("sh", "-c", "echo hello; sleep 1");
        ExecResult result = cluster.exec(0, command, Duration.ofSeconds(60));
        return (result.end() + " " + result.outputText().strip()).strip();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private static List<String> many(Cluster cluster) {
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<CompletableFuture<String>> all =
            IntStream.range(0, AT_ONCE)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> hello(cluster), threads))
                .toList();
        return all.stream().map(CompletableFuture::join).toList();
      }
    }

    /** Leaves so few that a command has no room, and the program has. */
    private static List<Closeable> fill() throws IOException {
      List<Closeable> files = new ArrayList<>();
      while (new java.io.File("/proc/self/fd").list().length < LIMIT - 45) {
        files.add(new FileInputStream("/dev/null"));
      }
      return files;
    }
  }
}
