// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterSpec;
import dev.clustered.spi.BackendFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Short words for the clusters that tests run. */
final class Gangs {

  /** Longer than any test takes. */
  static final Duration LONG = Duration.ofMinutes(5);

  /** How long a test waits for something that takes far less. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private Gangs() {}

  /** A shell line on whole nodes. */
  static ClusterSpec.Builder shell(int nodes, String line) {
    return ClusterSpec.builder("test")
        .nodes(nodes)
        .grace(Duration.ofSeconds(10))
        .command("sh", "-c", line);
  }

  /** Ranks that run until they are ended. */
  static ClusterSpec lasting(int nodes) {
    return shell(nodes, "exec sleep 1000").build();
  }

  /** An engine with one backend and no other. */
  static ClusterEngine engine(LocalBackend.Builder backend) {
    return on(backend.factory()).open();
  }

  /** An engine to be configured, with one backend and no other. */
  static ClusterEngine.Builder on(BackendFactory backend) {
    return Clusters.engine().discovery(ClusterEngine.Builder.Discovery.OFF).backend(backend);
  }

  /** The agents that run in JVMs of their own below this one. */
  static List<ProcessHandle> agents() {
    return ProcessHandle.current()
        .children()
        .filter(child -> child.info().command().orElse("").endsWith("java"))
        .toList();
  }

  /** The agent, in a JVM of its own, that a rank descends from. */
  static ProcessHandle agentOf(long rank) {
    ProcessHandle process = ProcessHandle.of(rank).orElseThrow();
    while (!agents().contains(process)) {
      process = process.parent().orElseThrow();
    }
    return process;
  }

  /** Whether a process runs; one that has ended and is not reaped yet has no command any more. */
  static boolean runs(long process) {
    return ProcessHandle.of(process).flatMap(handle -> handle.info().command()).isPresent();
  }

  /** Sends a signal by its name, as the shell's {@code kill} does. */
  static void signal(String name, ProcessHandle... processes)
      throws IOException, InterruptedException {
    ProcessBuilder kill = new ProcessBuilder("kill", "-s", name);
    List.of(processes).forEach(process -> kill.command().add(Long.toString(process.pid())));
    if (kill.start().waitFor() != 0) {
      throw new IOException("no signal " + name + " to all of " + List.of(processes));
    }
  }

  /** Starts a class of the tests in a JVM of its own, with another place for temporary files. */
  static ProcessBuilder program(Class<?> main, Path temporary, String... options) {
    ProcessBuilder program = new ProcessBuilder();
    program.command().add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    program.command().add("--enable-native-access=ALL-UNNAMED");
    program.command().add("-Djava.io.tmpdir=" + temporary);
    program.command().add("-cp");
    program.command().add(System.getProperty("java.class.path"));
    program.command().addAll(List.of(options));
    program.command().add(main.getName());
    return program;
  }
}
