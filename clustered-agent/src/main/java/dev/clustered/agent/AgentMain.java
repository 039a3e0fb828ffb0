// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.OrphanReaper;
import dev.clustered.agent.protocol.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An agent in a JVM of its own. Exits with 0 once the agent has ended and nothing is left. */
public final class AgentMain {

  private static final Logger LOGGER = LoggerFactory.getLogger(AgentMain.class);

  /** Longer than a guardian takes that is told to go. */
  private static final Duration LONGEST_WAY_OUT = Duration.ofSeconds(10);

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
    CompletableFuture<Void> over = new CompletableFuture<>();
    try {
      run(file, over);
      file.shared().ifPresent(AgentMain::clearLock);
    } finally {
      over.complete(null);
    }
    reaper.close();
    System.exit(0);
  }

  private static void run(AgentFile file, CompletableFuture<Void> over) {
    try (ProcessRuntime runtime = new ProcessRuntime();
        AgentTransport transport =
            AgentTransport.open(file.bootstrap().control(), file.bootstrap().certificate())) {
      runtime.guard(file.directory());
      try (Agent agent = Agent.start(options(file, runtime, transport))) {
        Runtime.getRuntime()
            .addShutdownHook(new Thread(() -> end(agent, over), "clustered-agent-shutdown"));
        if (file.endWithStandardInput()) {
          Thread.ofPlatform().daemon().name("clustered-input").start(() -> endWithInput(agent));
        }
        agent.ended().join();
      }
    }
  }

  /**
   * A signal ends this JVM as soon as this returns, so it waits for the way out of {@code main}, on
   * which the guardian is let go.
   */
  private static void end(Agent agent, CompletableFuture<Void> over) {
    agent.close();
    over.completeOnTimeout(null, LONGEST_WAY_OUT.toSeconds(), TimeUnit.SECONDS).join();
  }

  private static void clearLock(Path shared) {
    try {
      if (Files.isDirectory(shared)) {
        Optional<DirectoryLock> free = DirectoryLock.take(shared);
        if (free.isPresent()) {
          free.get().close();
        }
      }
    } catch (IOException e) {
      LOGGER.warn("The lock of a directory may be left directory={}", shared, e);
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
