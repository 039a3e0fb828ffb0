// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.Agent;
import dev.clustered.agent.AgentOptions;
import dev.clustered.agent.AgentTransport;
import dev.clustered.agent.ProcessRuntime;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import dev.clustered.spi.BackendContext;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;

/**
 * Starts agents, in this JVM or in one of their own, and shares what those in this JVM can share.
 */
final class NodeHosts implements AutoCloseable {

  private final LocalOptions options;
  private final Path directory;
  private final InstantSource clock;
  private final TreeMap<String, AgentTransport> transports = new TreeMap<>();
  private List<ProcessRuntime> runtime = List.of();

  NodeHosts(LocalOptions options, BackendContext context) {
    this.options = options;
    this.directory = context.directory();
    this.clock = context.clock();
  }

  /** What carries one node's agent. */
  interface Host {
    /** Whether the agent still runs. */
    boolean alive();

    /** Ends the agent and all that it runs; returns when nothing is left. */
    void end();
  }

  /** Starts the agent of a node. */
  Host start(String document, String address) {
    AgentBootstrap bootstrap = Json.mapper().readValue(document, AgentBootstrap.class);
    Path home = directory.resolve(bootstrap.node().value());
    return switch (options.agents()) {
      case IN_PROCESS -> inProcess(bootstrap, home, address);
      case OWN_JVM -> OwnJvm.start(bootstrap, home, address);
    };
  }

  private Host inProcess(AgentBootstrap bootstrap, Path home, String address) {
    Agent agent =
        Agent.start(
            new AgentOptions(
                bootstrap, home, List.of(address), runtime(), transport(bootstrap), clock));
    return new Host() {
      @Override
      public boolean alive() {
        return !agent.ended().isDone();
      }

      @Override
      public void end() {
        agent.close();
      }
    };
  }

  private synchronized ProcessRuntime runtime() {
    if (runtime.isEmpty()) {
      runtime = List.of(new ProcessRuntime());
    }
    return runtime.getFirst();
  }

  private synchronized AgentTransport transport(AgentBootstrap bootstrap) {
    return transports.computeIfAbsent(
        bootstrap.control() + " " + bootstrap.certificate(),
        key -> AgentTransport.open(bootstrap.control(), bootstrap.certificate()));
  }

  @Override
  public synchronized void close() {
    transports.values().forEach(AgentTransport::close);
    transports.clear();
    runtime.forEach(ProcessRuntime::close);
    runtime = List.of();
  }
}
