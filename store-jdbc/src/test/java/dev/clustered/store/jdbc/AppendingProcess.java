// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A JVM that runs the {@link AppendingProgram}, and what it printed. */
final class AppendingProcess implements AutoCloseable {

  private static final long LIMIT_SECONDS = 60;

  private final Process process;
  private final CountDownLatch first = new CountDownLatch(1);
  private final List<String> lines = new ArrayList<>();
  private final Thread reader;

  AppendingProcess(Path file, String word, Path scratch) throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                System.getProperty("java.class.path"),
                AppendingProgram.class.getName(),
                file.toString(),
                word)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    reader = Thread.ofPlatform().name("appending-" + word).start(this::read);
  }

  private void read() {
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void add(String line) {
    // The last line may be cut off by the end of the process.
    if (line.endsWith("\"")) {
      lines.add(line);
      first.countDown();
    }
  }

  /** Returns when it has printed something. */
  void awaitFirst() throws InterruptedException {
    if (!first.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("nothing was appended in " + LIMIT_SECONDS + " seconds");
    }
  }

  void signal(String name) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IllegalStateException("no signal was sent");
    }
  }

  /** What was printed until now: the end of a pair, and the event there. */
  synchronized List<String> printed() {
    return List.copyOf(lines);
  }

  /** Kills it, and returns when all that it printed has been read. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    try {
      reader.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while it was ending", e);
    }
  }
}
