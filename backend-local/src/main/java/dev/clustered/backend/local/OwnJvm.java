// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.AgentFile;
import dev.clustered.agent.AgentMain;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An agent in a JVM of its own. It ends when its standard input ends, and so with this JVM. */
final class OwnJvm implements NodeHosts.Host {

  private static final Logger log = LoggerFactory.getLogger(OwnJvm.class);
  private static final long END_SECONDS = 60;

  private final Process process;
  private final Path directory;

  private OwnJvm(Process process, Path directory) {
    this.process = process;
    this.directory = directory;
  }

  static OwnJvm start(AgentBootstrap bootstrap, Path home, String address) {
    try {
      Path directory = Files.createDirectories(home.resolveSibling(home.getFileName() + "-jvm"));
      Path file = directory.resolve("agent.json");
      AgentFile content = new AgentFile(bootstrap, home.toString(), List.of(address), true);
      Files.writeString(file, Json.mapper().writeValueAsString(content));
      Path arguments = directory.resolve("arguments");
      Files.writeString(arguments, arguments());
      ProcessBuilder builder =
          new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "@" + arguments,
              AgentMain.class.getName(),
              file.toString());
      builder.redirectErrorStream(true).redirectOutput(directory.resolve("agent.log").toFile());
      return new OwnJvm(builder.start(), directory);
    } catch (IOException e) {
      throw new UncheckedIOException("the agent of node " + bootstrap.node() + " cannot start", e);
    }
  }

  private static String arguments() {
    String path = System.getProperty("java.class.path", "");
    String quoted = path.replace("\\", "\\\\").replace("\"", "\\\"");
    return "-XX:+UseSerialGC\n--enable-native-access=ALL-UNNAMED\n-cp\n\"" + quoted + "\"\n";
  }

  @Override
  public boolean alive() {
    return process.isAlive();
  }

  long processId() {
    return process.pid();
  }

  @Override
  public void end() {
    boolean interrupted = false;
    try {
      process.getOutputStream().close();
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        log.warn("An agent's JVM did not end and is killed pid={}", process.pid());
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (IOException e) {
      log.debug("The agent's JVM has closed its input pid={}", process.pid(), e);
    }
    process.destroyForcibly();
    process.onExit().join();
    delete();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void delete() {
    try {
      Files.walkFileTree(directory, new Deleting());
    } catch (IOException e) {
      log.warn("A directory is left directory={}", directory, e);
    }
  }

  private static final class Deleting extends SimpleFileVisitor<Path> {
    @Override
    public java.nio.file.FileVisitResult visitFile(
        Path file, java.nio.file.attribute.BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return java.nio.file.FileVisitResult.CONTINUE;
    }

    @Override
    public java.nio.file.FileVisitResult postVisitDirectory(
        Path visited, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
      Files.delete(visited);
      return java.nio.file.FileVisitResult.CONTINUE;
    }
  }
}
