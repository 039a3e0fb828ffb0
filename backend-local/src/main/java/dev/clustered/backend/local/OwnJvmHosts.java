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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts each agent in a JVM of its own, with the class path of this one. The agent's standard
 * input is a pipe from this process: when this process dies, however it dies, the pipe ends and the
 * agent with it. Thread-safe.
 */
final class OwnJvmHosts implements AgentHosts {

  private static final List<String> SMALL_JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Xshare:auto");

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
  public AgentHost start(AgentBootstrap bootstrap, Path directory, String address)
      throws IOException {
    guard();
    Path file = directory.resolve("agent.json");
    AgentFile birth = new AgentFile(bootstrap, directory, List.of(address), true);
    Files.write(file, Json.mapper().writeValueAsBytes(birth));
    Path arguments = directory.resolve("agent.arguments");
    Files.write(arguments, arguments());
    Path log = directory.resolve("agent.log");
    Process process =
        new ProcessBuilder(java(), "@" + arguments, AgentMain.class.getName(), file.toString())
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

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** By file, because class paths are long; a line each. */
  private static List<String> arguments() {
    List<String> arguments = new ArrayList<>(SMALL_JVM);
    arguments.add("--enable-native-access=ALL-UNNAMED");
    arguments.add("-cp");
    arguments.add(quoted(System.getProperty("java.class.path")));
    return arguments;
  }

  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  @Override
  public synchronized void close() {
    if (guard != null) {
      guard.close();
      guard = null;
    }
  }
}
