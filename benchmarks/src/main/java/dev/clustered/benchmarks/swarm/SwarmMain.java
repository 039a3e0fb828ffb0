// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.swarm;

import dev.clustered.agent.Agent;
import dev.clustered.agent.AgentOptions;
import dev.clustered.agent.AgentTransport;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Many agents in one JVM, which share a transport and a runtime that runs nothing. */
final class SwarmMain {

  private SwarmMain() {}

  /** Reads one line for each agent and an empty one; ends with its standard input. */
  public static void main(String[] arguments) throws IOException {
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    List<String> lines = new ArrayList<>();
    for (String line = input.readLine(); line != null && !line.isEmpty(); ) {
      lines.add(line);
      line = input.readLine();
    }
    AgentBootstrap first = bootstrap(lines.getFirst());
    try (IdleRuntime runtime = new IdleRuntime();
        AgentTransport transport = AgentTransport.open(first.control(), first.certificate())) {
      List<Agent> agents = lines.stream().map(line -> start(line, runtime, transport)).toList();
      while (input.readLine() != null) {
        // Whoever started this JVM only ends the input.
      }
      close(agents);
    }
  }

  private static void close(List<Agent> agents) {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      agents.forEach(agent -> executor.execute(agent::close));
    }
  }

  private static Agent start(String line, IdleRuntime runtime, AgentTransport transport) {
    String[] parts = line.split(" ", 3);
    AgentBootstrap bootstrap = bootstrap(line);
    Path directory = Path.of(parts[2]).resolve(bootstrap.node().value());
    return Agent.start(
        new AgentOptions(
            bootstrap, directory, List.of(parts[0]), runtime, transport, InstantSource.system()));
  }

  private static AgentBootstrap bootstrap(String line) {
    byte[] document = Base64.getDecoder().decode(line.split(" ", 3)[1]);
    return Json.mapper().readValue(document, AgentBootstrap.class);
  }
}
