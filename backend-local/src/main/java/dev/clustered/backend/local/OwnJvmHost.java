// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An agent in a JVM of its own. Thread-safe. */
final class OwnJvmHost implements AgentHost {

  /** Longer than an agent takes that ends its ranks by SIGKILL. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final Process process;
  private final CompletableFuture<String> ended;

  OwnJvmHost(Process process, Path log) {
    this.process = process;
    this.ended =
        process
            .onExit()
            .thenApply(
                dead -> "the agent's JVM ended with code " + dead.exitValue() + LastWords.of(log));
  }

  @Override
  public CompletableFuture<String> ended() {
    return ended;
  }

  /** Ends the agent by the end of its standard input, and a JVM that does not react by force. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // The pipe is broken: the JVM has ended already.
    }
    process
        .onExit()
        .completeOnTimeout(process, PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .thenAccept(Process::destroyForcibly)
        .join();
    process.onExit().join();
  }
}
