// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.OrphanReaper;
import dev.clustered.agent.protocol.Json;
import java.io.IOException;
<<<<<<< HEAD
import java.io.OutputStream;
=======
>>>>>>> main
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

<<<<<<< HEAD
/** The agent as a program of its own. */
=======
/** An agent in a JVM of its own. Exits with 0 once the agent has ended and nothing is left. */
>>>>>>> main
public final class AgentMain {

  private AgentMain() {}

  /**
<<<<<<< HEAD
   * Runs an agent until it ends.
   *
   * @param arguments the path of an {@link AgentFile}
   * @throws IOException when the file cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("usage: " + AgentMain.class.getName() + " FILE, the agent's JSON document");
      System.exit(2);
    }
    AgentFile file =
        Json.mapper().readValue(Files.readString(Path.of(arguments[0])), AgentFile.class);
    run(file);
=======
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
>>>>>>> main
    System.exit(0);
  }

  private static void run(AgentFile file) {
<<<<<<< HEAD
    try (OrphanReaper reaper = OrphanReaper.open();
        ProcessRuntime runtime = new ProcessRuntime();
        AgentTransport transport =
            AgentTransport.open(file.bootstrap().control(), file.bootstrap().certificate());
        Agent agent = Agent.start(options(file, runtime, transport))) {
      runtime.guard(file.directory());
      if (file.endWithStandardInput()) {
        Thread.ofPlatform().daemon().name("clustered-input").start(() -> endWithInput(agent));
      }
      agent.ended().join();
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
      System.err.println("standard input failed, so the agent ends: " + e);
    }
    agent.close();
  }
=======
    try (ProcessRuntime runtime = new ProcessRuntime();
        AgentTransport transport =
            AgentTransport.open(file.bootstrap().control(), file.bootstrap().certificate());
        Agent agent =
            Agent.start(
                new AgentOptions(
                    file.bootstrap(),
                    file.directory(),
                    file.addresses(),
                    runtime,
                    transport,
                    InstantSource.system()))) {
      Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "clustered-agent-shutdown"));
      agent.ended().join();
    }
  }
>>>>>>> main
}
