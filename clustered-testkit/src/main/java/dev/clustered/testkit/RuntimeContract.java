// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@link NodeRuntime} keeps: it tells codes from signals, passes the environment byte
 * for byte, and leaves no process. It runs {@code /bin/sh}, {@code /usr/bin/env} and {@code
 * setsid}. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class RuntimeContract {

  private static final int TERM = 15;

  @TempDir private Path directory;
  private RuntimeWork work;

  /** For subclasses. */
  protected RuntimeContract() {}

  /** A new runtime; the contract closes it. */
  protected abstract NodeRuntime runtime();

  @BeforeEach
  void open() throws IOException {
    work = new RuntimeWork(runtime(), directory);
  }

  @AfterEach
  void close() {
    work.runtime().close();
  }

  @Test
  void hasANameThatStaysTheSame() {
    assertThat(work.runtime().name()).matches("[a-z][a-z0-9-]*").isEqualTo(runtimeName());
  }

  @Test
  void tellsAnExitCodeFromASignalOfTheSameNumber() throws Exception {
    assertThat(work.run("exit 0")).isEqualTo(new ProcessEnd.Code(0));
    assertThat(work.run("exit 137")).isEqualTo(new ProcessEnd.Code(137));
    assertThat(work.run("kill -9 $$")).isEqualTo(new ProcessEnd.Signal(9));
    assertThat(work.run("exit 9")).isEqualTo(new ProcessEnd.Code(9));
  }

  @Test
  void passesTheEnvironmentByteForByteAndNothingElse() throws Exception {
    Map<String, String> environment = new TreeMap<>();
    environment.put("PLAIN", "value");
    environment.put("EMPTY", "");
    environment.put("QUOTED", "a=b \"c\" 'd' $HOME `e` \\ ;&|<>*?");
    environment.put("LINES", "one\ntwo\ttab\r\n");
    environment.put("EMOJI", "🚀 größer 漢字");
    environment.put("LONG", "x".repeat(100_000));
    NodeRuntime.Running running = work.start(List.of("/usr/bin/env", "-0"), environment);
    assertThat(work.endOf(running)).isEqualTo(new ProcessEnd.Code(0));
    Map<String, String> arrived = new TreeMap<>();
    for (String variable : work.log(running).split("\0")) {
      int equals = variable.indexOf('=');
      arrived.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
    arrived.keySet().removeIf(name -> name.startsWith("CLUSTERED_"));
    assertThat(arrived).isEqualTo(environment);
  }

  @Test
  void passesArgumentsWithoutAShell() throws Exception {
    List<String> arguments = List.of("a b", "$HOME", "", "*", "\"", "y".repeat(100_000));
    List<String> command = new ArrayList<>(List.of("/usr/bin/printf", "%s\\n"));
    command.addAll(arguments);
    NodeRuntime.Running running = work.start(command, RuntimeWork.ENVIRONMENT);
    assertThat(work.endOf(running)).isEqualTo(new ProcessEnd.Code(0));
    assertThat(work.log(running)).isEqualTo(String.join("\n", arguments) + "\n");
  }

  @Test
  void runsInTheDirectoryOfTheWork() throws Exception {
    NodeRuntime.Running running = work.start("pwd -P; echo done > here");
    assertThat(work.endOf(running)).isEqualTo(new ProcessEnd.Code(0));
    assertThat(work.log(running).strip()).isEqualTo(work.directory().toRealPath().toString());
    assertThat(work.directory().resolve("here")).exists();
  }

  @Test
  void reportsAMissingExecutableWithCode127() throws Exception {
    for (String missing : List.of("/no/such/program", "no-such-program")) {
      NodeRuntime.Running running = work.start(List.of(missing, "x"), RuntimeWork.ENVIRONMENT);
      ProcessEnd.NotStarted end = notStarted(running);
      assertThat(end.code()).isEqualTo(127);
      assertThat(end.message()).contains(missing);
      running.signal(TERM);
      running.terminate(Duration.ZERO);
    }
  }

  @Test
  void reportsAFileThatCannotBeExecutedWithCode126() throws Exception {
    Path file = Files.writeString(directory.resolve("not-executable"), "text");
    NodeRuntime.Running running = work.start(List.of(file.toString()), RuntimeWork.ENVIRONMENT);
    ProcessEnd.NotStarted end = notStarted(running);
    assertThat(end.code()).isEqualTo(126);
    assertThat(end.message()).contains(file.toString());
  }

  @Test
  void logsBothStreamsInTheOrderWritten() throws Exception {
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      expected.append("out ").append(i).append("\nerr ").append(i).append('\n');
    }
    NodeRuntime.Running running =
        work.start("i=0; while [ $i -lt 100 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done");
    assertThat(work.endOf(running)).isEqualTo(new ProcessEnd.Code(0));
    assertThat(work.log(running)).isEqualTo(expected.toString());
  }

  @Test
  void sendsASignalToTheWorkAndNoneAfterItsEnd() throws Exception {
    NodeRuntime.Running running =
        work.start("trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done");
    work.awaitLog(running, "ready");
    running.signal(TERM);
    assertThat(work.endOf(running)).isEqualTo(new ProcessEnd.Code(7));
    running.signal(TERM);
    running.terminate(Duration.ZERO);
  }

  private ProcessEnd.NotStarted notStarted(NodeRuntime.Running running) throws Exception {
    ProcessEnd end = work.endOf(running);
    assertThat(end).isInstanceOf(ProcessEnd.NotStarted.class);
    return (ProcessEnd.NotStarted) end;
  }

  private String runtimeName() {
    try (NodeRuntime another = runtime()) {
      return another.name();
    }
  }
}
