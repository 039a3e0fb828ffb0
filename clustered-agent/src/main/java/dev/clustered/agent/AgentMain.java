// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.OrphanReaper;
import dev.clustered.agent.protocol.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An agent in a JVM of its own. Exits with 0 once the agent has ended and nothing is left. */
public final class AgentMain {

  private static final Logger LOGGER = LoggerFactory.getLogger(AgentMain.class);

  private AgentMain() {}

  /**
   * Runs the agent until it ends, or until this JVM is told to.
   *
   * @param arguments the path of an {@link AgentFile}
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      throw new IllegalArgumentException(
          "one argument is needed, the path of the agent's file; received " + arguments.length);
    }
    AgentFile file =
        Json.mapper().readValue(Files.readAllBytes(Path.of(arguments[0])), AgentFile.class);
    OrphanReaper reaper = OrphanReaper.open();
    run(file);
    reaper.close();
    System.exit(0);
  }

  private static void run(AgentFile file) {
    try (ProcessRuntime runtime = new ProcessRuntime();
        AgentTransport transport =
            AgentTransport.open(file.bootstrap().control(), file.bootstrap().certificate())) {
      runtime.guard(file.directory());
      try (Agent agent = Agent.start(options(file, runtime, transport))) {
        Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "clustered-agent-shutdown"));
        if (file.endWithStandardInput()) {
          Thread.ofPlatform().daemon().name("clustered-input").start(() -> endWithInput(agent));
        }
        agent.ended().join();
      }
    }
  }

  private static AgentOptions options(
      AgentFile file, ProcessRuntime runtime, AgentTransport transport) {
    return new AgentOptions(
        file.bootstrap(),
        file.directory(),
        file.addresses(),
        runtime,
        transport,
        InstantSource.system());
  }

  /** Whoever started this JVM holds the other end, and ends it by closing that or by dying. */
  private static void endWithInput(Agent agent) {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      LOGGER.warn("Standard input failed, so the agent ends", e);
    }
    agent.close();
  }
}
