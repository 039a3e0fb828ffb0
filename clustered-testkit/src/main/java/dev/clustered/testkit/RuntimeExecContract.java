// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.clustered.model.ProcessEnd;
import dev.clustered.model.TerminalSize;
import dev.clustered.spi.Feature;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@link NodeRuntime} with {@link Feature#EXEC} keeps: a command beside a workload is in
 * its place, ends alone or with it, and its bytes and ends arrive as they are. One without the
 * feature must refuse in words. It runs {@code /bin/sh}, {@code env}, {@code sort}, {@code stty},
 * {@code setsid} and {@code cat}. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class RuntimeExecContract {

  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final long LIMIT_SECONDS = 20;

  @TempDir private Path directory;
  private final AtomicInteger execs = new AtomicInteger();
  private RuntimeWork work;
  private NodeRuntime.Running running;

  /** For subclasses. */
  protected RuntimeExecContract() {}

  /** A new runtime; the contract closes it. */
  protected abstract NodeRuntime runtime();

  @BeforeEach
  void open() throws IOException {
    work = new RuntimeWork(runtime(), directory);
    running = work.start("env -0 | sort -z; pwd -P; echo ready; exec sleep 4567");
    work.awaitLog(running, "ready");
  }

  @AfterEach
  void close() throws InterruptedException {
    running.terminate(Duration.ZERO);
    work.runtime().close();
  }

  private boolean hasExec() {
    return work.runtime().features().contains(Feature.EXEC);
  }

  private void assumeExec() {
    assumeThat(hasExec()).as("EXEC is a feature; its refusal is tested apart").isTrue();
  }

  @Test
  void refusesInWordsWithoutTheFeature() {
    assumeThat(hasExec()).as("EXEC is no feature").isFalse();
    assertThatThrownBy(() -> running.exec(exec(Optional.empty(), "true")))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("EXEC");
  }

  private NodeRuntime.Exec exec(Optional<TerminalSize> terminal, String line) {
    String id = "contract-" + ProcessHandle.current().pid() + "-" + execs.incrementAndGet();
    return new NodeRuntime.Exec(id, List.of("/bin/sh", "-c", line), true, terminal);
  }

  private NodeRuntime.RunningExec start(String line) {
    return running.exec(exec(Optional.empty(), line));
  }

  private static ProcessEnd endOf(NodeRuntime.RunningExec exec) throws Exception {
    return exec.end().get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Everything that it writes, after which it is over. */
  private static String outputOf(NodeRuntime.RunningExec exec) throws Exception {
    try (InputStream output = exec.output()) {
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      ProcessEnd unused = endOf(exec);
      over(exec);
      return text;
    }
  }

  private static void over(NodeRuntime.RunningExec exec) throws Exception {
    exec.terminate(GRACE);
    exec.input().close();
    exec.output().close();
    exec.error().close();
  }

  /** Reads a line byte by byte. */
  private static String line(NodeRuntime.RunningExec exec) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = exec.output().read(); next != '\n'; next = exec.output().read()) {
      assertThat(next).as("the end of the output after %s", line).isNotNegative();
      line.append((char) next);
    }
    return line.toString();
  }

  @Test
  void runsInThePlaceOfTheWork() throws Exception {
    assumeExec();
    String seen = outputOf(start("env -0 | sort -z; pwd -P; echo ready"));
    assertThat(withoutMarks(seen)).isEqualTo(withoutMarks(work.log(running)));
  }

  private static String withoutMarks(String environment) {
    return environment.replaceAll("CLUSTERED_[A-Z]+=[^\0]*\0", "");
  }

  @Test
  void tellsItsEndsApart() throws Exception {
    assumeExec();
    for (int code : List.of(0, 1, 9, 127, 137)) {
      NodeRuntime.RunningExec exec = start("exit " + code);
      assertThat(endOf(exec)).isEqualTo(new ProcessEnd.Code(code));
      over(exec);
    }
    NodeRuntime.RunningExec killed = start("exec sleep 4567");
    killed.signal(9);
    assertThat(endOf(killed)).isEqualTo(new ProcessEnd.Signal(9));
    over(killed);
    NodeRuntime.RunningExec missing =
        running.exec(
            new NodeRuntime.Exec("contract-no", List.of("/no/such"), false, Optional.empty()));
    assertThat(endOf(missing)).isInstanceOf(ProcessEnd.NotStarted.class);
    assertThat(((ProcessEnd.NotStarted) endOf(missing)).code()).isEqualTo(127);
    over(missing);
  }

  @Test
  void passesEveryByteBothWays() throws Exception {
    assumeExec();
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    NodeRuntime.RunningExec exec = start("cat; cat /dev/null >&2; echo errors >&2");
    exec.input().write(bytes);
    exec.input().close();
    assertThat(exec.output().readAllBytes()).isEqualTo(bytes);
    assertThat(new String(exec.error().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("errors\n");
    assertThat(endOf(exec)).isEqualTo(new ProcessEnd.Code(0));
    over(exec);
  }

  @Test
  void givesATerminalOfTheSizeAsked() throws Exception {
    assumeExec();
    NodeRuntime.RunningExec exec =
        running.exec(
            exec(
                Optional.of(new TerminalSize(77, 33)), "stty size; read a; stty size; echo $TERM"));
    assertThat(line(exec)).isEqualTo("33 77\r");
    exec.resize(new TerminalSize(101, 50));
    exec.input().write('\n');
    assertThat(outputOf(exec)).isEqualTo("\r\n50 101\r\nxterm-256color\r\n");
  }

  @Test
  void endsAloneWithAllThatItStarted() throws Exception {
    assumeExec();
    NodeRuntime.RunningExec exec = start("setsid /bin/sh -c 'sleep 3456 & echo $!; wait' & wait");
    long child = Long.parseLong(line(exec));
    assertThat(RuntimeWork.alive(child)).isTrue();
    over(exec);
    assertThat(RuntimeWork.alive(child)).isFalse();
    assertThat(RuntimeWork.alive(running.processId())).isTrue();
    assertThat(running.end()).isNotDone();
  }

  @Test
  void endsWithTheWorkAndCannotStartAfterIt() throws Exception {
    assumeExec();
    NodeRuntime.RunningExec exec = start("echo up; exec sleep 4567");
    assertThat(line(exec)).isEqualTo("up");
    running.terminate(GRACE);
    assertThat(exec.end()).isCompletedWithValue(new ProcessEnd.Signal(15));
    over(exec);
    assertThatThrownBy(() -> start("true")).isInstanceOf(IllegalStateException.class);
  }
}
