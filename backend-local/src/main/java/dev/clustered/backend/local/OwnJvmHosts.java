// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.AgentFile;
import dev.clustered.agent.AgentMain;
import dev.clustered.agent.ProcessRuntime;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts each agent in a JVM of its own, with the class path of this one. The agent's standard
 * input is a pipe from this process: when this process dies, however it dies, the pipe ends and the
 * agent with it. Thread-safe.
 */
final class OwnJvmHosts implements AgentHosts {

  private final Path root;
  private @Nullable ProcessRuntime guard;

  /**
   * Hosts for agents whose directories lie below one.
   *
   * @param root removed should this JVM be killed
   */
  OwnJvmHosts(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  @Override
  public AgentHost start(NodeRecord node, AgentBootstrap bootstrap, Path directory)
      throws IOException {
    guard();
    Path file = directory.resolve("agent.json");
    AgentFile birth = new AgentFile(bootstrap, directory, List.of(node.address()), true);
    Files.write(file, Json.mapper().writeValueAsBytes(birth));
    Path arguments = directory.resolve("agent.arguments");
    Files.write(arguments, AgentJvm.arguments());
    Path log = directory.resolve("agent.log");
    Process process =
        new ProcessBuilder(
                AgentJvm.java(), "@" + arguments, AgentMain.class.getName(), file.toString())
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new OwnJvmHost(process, log);
  }

  private synchronized void guard() {
    if (guard == null) {
      guard = new ProcessRuntime();
      guard.guard(root);
    }
  }

  @Override
  public synchronized void close() {
    if (guard != null) {
      guard.close();
      guard = null;
    }
  }
}
