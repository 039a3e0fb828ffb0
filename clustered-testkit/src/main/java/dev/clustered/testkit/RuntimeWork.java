// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Work that a contract starts on a runtime, with the log of each. Not thread-safe. */
final class RuntimeWork {

  static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/local/bin:/usr/bin:/bin");

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final NodeRuntime runtime;
  private final Path directory;
  private final Path files;
  private final Map<NodeRuntime.Running, Path> logs = new ConcurrentHashMap<>();

  RuntimeWork(NodeRuntime runtime, Path parent) throws IOException {
    this.runtime = runtime;
    this.directory = Files.createDirectory(parent.resolve("work"));
    this.files = Files.createDirectory(parent.resolve("files"));
  }

  /** Where all work runs. */
  Path directory() {
    return directory;
  }

  NodeRuntime runtime() {
    return runtime;
  }

  /** A shell script that runs. */
  NodeRuntime.Running start(String script) throws IOException {
    return start(List.of("/bin/sh", "-c", script), ENVIRONMENT);
  }

  NodeRuntime.Running start(List<String> command, Map<String, String> environment)
      throws IOException {
    String scope = "contract-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    Path own = Files.createDirectory(files.resolve(scope));
    Path log = own.resolve("log");
    NodeRuntime.Running running =
        runtime.start(new NodeRuntime.Work(scope, command, environment, directory, own, log));
    logs.put(running, log);
    return running;
  }

  /** How a shell script ends. */
  ProcessEnd run(String script) throws Exception {
    NodeRuntime.Running running = start(script);
    ProcessEnd end = endOf(running);
    running.terminate(Duration.ZERO);
    return end;
  }

  ProcessEnd endOf(NodeRuntime.Running running) throws Exception {
    return running.end().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  String log(NodeRuntime.Running running) throws IOException {
    Path log = logs.get(running);
    if (log == null) {
      throw new IllegalArgumentException("not started here: " + running);
    }
    return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
  }

  void awaitLog(NodeRuntime.Running running, String text) {
    Eventually.within(LIMIT).isTrue("the log has " + text, () -> log(running).contains(text));
  }

  /** The number behind a word in the log. */
  long number(NodeRuntime.Running running, String word) throws IOException {
    return log(running)
        .lines()
        .filter(line -> line.startsWith(word + " "))
        .map(line -> Long.parseLong(line.substring(word.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no line in the log begins with " + word));
  }

  /** Whether a process runs; one that only waits to be reaped does not. */
  static boolean alive(long processId) {
    if (!ProcessTable.readable()) {
      return ProcessHandle.of(processId).map(ProcessHandle::isAlive).orElse(false);
    }
    ProcessTable.Row row = ProcessTable.now().rows().get(processId);
    return row != null && !row.zombie();
  }
}
