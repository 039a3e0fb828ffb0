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

/** Many agents in one JVM, which share a runtime that runs nothing. */
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
    try (IdleRuntime runtime = new IdleRuntime()) {
      List<Member> members = lines.stream().map(line -> Member.start(line, runtime)).toList();
      while (input.readLine() != null) {
        // Whoever started this JVM only ends the input.
      }
      close(members);
    }
  }

  private static void close(List<Member> members) {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      members.forEach(member -> executor.execute(member::close));
    }
  }

  /** An agent with connections of its own, as on a machine of its own. */
  private record Member(Agent agent, AgentTransport transport) implements AutoCloseable {

    static Member start(String line, IdleRuntime runtime) {
      String[] parts = line.split(" ", 3);
      AgentBootstrap bootstrap = bootstrap(parts[1]);
      AgentTransport transport = AgentTransport.open(bootstrap.control(), bootstrap.certificate());
      Path directory = Path.of(parts[2]).resolve(bootstrap.node().value());
      Agent agent =
          Agent.start(
              new AgentOptions(
                  bootstrap,
                  directory,
                  List.of(parts[0]),
                  runtime,
                  transport,
                  InstantSource.system()));
      return new Member(agent, transport);
    }

    @Override
    public void close() {
      agent.close();
      transport.close();
    }
  }

  private static AgentBootstrap bootstrap(String encoded) {
    byte[] document = Base64.getDecoder().decode(encoded);
    return Json.mapper().readValue(document, AgentBootstrap.class);
  }
}
