// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A supervisor with one scope in a directory; after use nothing of the scope may be left. */
final class Fixture implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(20);
  static final Map<String, String> PATH = Map.of("PATH", System.getenv("PATH"));

  final String id = "test-" + UUID.randomUUID();
  final Path directory;
  final ProcessSupervisor supervisor;
  final ProcessScope scope;
  private int started;

  Fixture(Path parent) {
    this(parent, Cgroup.own());
  }

  Fixture(Path parent, Optional<Path> cgroups) {
    try {
      directory = Files.createDirectories(parent.resolve(id));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    supervisor = new ProcessSupervisor(InstantSource.system(), cgroups);
    scope = supervisor.scope(id, directory);
  }

  /** One more scope, in a directory of its own. */
  ProcessScope another(String suffix) {
    try {
      String other = id + "-" + suffix;
      return supervisor.scope(other, Files.createDirectories(directory.resolve(other)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A command with nothing special about it. */
  ProcessSpec spec(String... command) {
    return new ProcessSpec(List.of(command), PATH, directory, output(), directory);
  }

  RankProcess start(String... command) {
    return start(PATH, command);
  }

  RankProcess start(Map<String, String> environment, String... command) {
    return switch (tryStart(environment, List.of(command))) {
      case StartResult.Started running -> running.process();
      case StartResult.NotStarted refused -> throw new AssertionError(refused.failure());
    };
  }

  StartResult tryStart(Map<String, String> environment, List<String> command) {
    started++;
    return scope.start(
        new ProcessSpec(command, new LinkedHashMap<>(environment), directory, output(), directory));
  }

  /** The output file of the latest start. */
  Path output() {
    return directory.resolve("output-" + started);
  }

  String text() {
    return read(output());
  }

  String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs to the end and returns what was written. */
  String run(Map<String, String> environment, String... command) {
    RankProcess process = start(environment, command);
    assertThat(exit(process)).as("%s", (Object) text()).isEqualTo(new ProcessExit.Code(0));
    return text();
  }

  static ProcessExit exit(RankProcess process) {
    try {
      return process.exit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    } catch (TimeoutException e) {
      throw new AssertionError("Process " + process.pid() + " did not end", e);
    }
  }

  static boolean alive(int pid) {
    return ProcessTable.readStat(pid).filter(entry -> !entry.zombie()).isPresent();
  }

  /** Waits until a process has written a number into a file of the scope's directory. */
  int pidIn(String name) {
    Path file = directory.resolve(name);
    Await.until(name + " is written", LIMIT, () -> read(file).endsWith("\n"));
    return Integer.parseInt(read(file).strip());
  }

  @Override
  public void close() {
    supervisor.close();
    assertThat(ProcessTable.read().entries().values()).noneMatch(entry -> id.equals(entry.scope()));
  }
}
