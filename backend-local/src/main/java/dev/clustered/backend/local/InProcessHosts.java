// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.Agent;
import dev.clustered.agent.AgentOptions;
import dev.clustered.agent.AgentTransport;
import dev.clustered.agent.ProcessRuntime;
import dev.clustered.agent.protocol.AgentBootstrap;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts agents in this JVM. They share one runtime and one transport for each engine, both opened
 * by the first agent that needs them. Thread-safe.
 */
final class InProcessHosts implements AgentHosts {

  private record Endpoint(URI control, String certificate) {}

  private record InProcessHost(Agent agent, CompletableFuture<String> ended) implements AgentHost {

    @Override
    public void close() {
      agent.close();
    }
  }

  private final Path root;
  private final InstantSource clock;
  private final Map<Endpoint, AgentTransport> transports = new LinkedHashMap<>();
  private @Nullable ProcessRuntime runtime;

  /**
   * Hosts for agents whose directories lie below one.
   *
   * @param root removed should this JVM be killed
   */
  InProcessHosts(Path root, InstantSource clock) {
    this.root = root.toAbsolutePath().normalize();
    this.clock = clock;
  }

  @Override
  public AgentHost start(NodeRecord node, AgentBootstrap bootstrap, Path directory) {
    Agent agent =
        Agent.start(
            new AgentOptions(
                bootstrap,
                directory,
                List.of(node.address()),
                runtime(),
                transport(bootstrap),
                clock));
    return new InProcessHost(agent, agent.ended().handle((nothing, failure) -> why(failure)));
  }

  private static String why(@Nullable Throwable failure) {
    return failure == null
        ? "the agent ended: its lease ran out, or the engine refused it"
        : "the agent failed: " + failure;
  }

  private synchronized ProcessRuntime runtime() {
    if (runtime == null) {
      runtime = new ProcessRuntime();
      runtime.guard(root);
    }
    return runtime;
  }

  private synchronized AgentTransport transport(AgentBootstrap bootstrap) {
    return transports.computeIfAbsent(
        new Endpoint(bootstrap.control(), bootstrap.certificate()),
        endpoint -> AgentTransport.open(endpoint.control(), endpoint.certificate()));
  }

  @Override
  public synchronized void close() {
    transports.values().forEach(AgentTransport::close);
    transports.clear();
    if (runtime != null) {
      runtime.close();
      runtime = null;
    }
  }
}
