// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.AgentFile;
import dev.clustered.agent.AgentMain;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts each agent in a JVM of its own, with the class path of this one. The agent's standard
 * input is a pipe from this process: when this process dies, however it dies, the pipe ends and the
 * agent with it. Thread-safe.
 */
final class OwnJvmHosts implements AgentHosts {

  private static final List<String> SMALL_JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Xshare:auto");

  @Override
  public AgentHost start(AgentBootstrap bootstrap, Path directory, String address)
      throws IOException {
    Path file = directory.resolve("agent.json");
    AgentFile birth = new AgentFile(bootstrap, directory.resolve("agent"), List.of(address), true);
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

  /** Holds nothing. */
  @Override
  public void close() {}
}
