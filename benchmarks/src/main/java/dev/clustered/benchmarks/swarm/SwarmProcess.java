// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.swarm;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;

/** Our end of the JVM that holds the agents. It ends when its standard input does. */
final class SwarmProcess implements AutoCloseable {

  private final Process process;
  private final BufferedWriter input;

  private SwarmProcess(Process process, BufferedWriter input) {
    this.process = process;
    this.input = input;
  }

  /**
   * What an agent needs.
   *
   * @param address the node's address
   * @param document the engine's bootstrap, which holds a secret
   */
  record Member(String address, String document) {

    /** As a line without white space within its parts. */
    String line(Path directory) {
      byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
      return String.join(" ", address, Base64.getEncoder().encodeToString(bytes), "" + directory);
    }
  }

  static SwarmProcess start(Path directory, List<Member> members) throws IOException {
    Files.createDirectories(directory);
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-classpath",
            System.getProperty("java.class.path"),
            SwarmMain.class.getName());
    builder.redirectOutput(ProcessBuilder.Redirect.INHERIT);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = builder.start();
    BufferedWriter input = process.outputWriter(StandardCharsets.UTF_8);
    for (Member member : members) {
      input.write(member.line(directory));
      input.newLine();
    }
    input.newLine();
    input.flush();
    return new SwarmProcess(process, input);
  }

  @Override
  public void close() {
    try {
      input.close();
      process.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
