// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.Preamble;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Volume;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * The files of one work: {@code work}, which is the rank's working directory, and beside it {@code
 * files} with what the agent writes, {@code runtime} for the runtime and {@code log}. Not
 * thread-safe.
 */
final class WorkFiles {

  private static final Logger LOGGER = LoggerFactory.getLogger(WorkFiles.class);
  private static final long LARGEST_RESULT = 8L * 1024 * 1024;

  /** More than any number has, with white space around it. */
  private static final int LONGEST_NUMBER = 100;

  private final Path root;

  WorkFiles(Path root) {
    this.root = root;
  }

  /** The rank's working directory. */
  Path work() {
    return root.resolve("work");
  }

  Path runtime() {
    return root.resolve("runtime");
  }

  Path log() {
    return root.resolve("log");
  }

  /** A file of the agent's own. */
  Path file(String name) {
    return root.resolve("files").resolve(name);
  }

  Path context() {
    return file("cluster.json");
  }

  Path environment() {
    return file("environment.json");
  }

  Path result() {
    return file("result.json");
  }

  /** Makes everything anew: what an earlier agent left there is of no use. */
  void create(WorkDocument document) throws WorkFailure {
    try {
      Trees.delete(root);
      Trees.create(work());
      Trees.create(root.resolve("files"));
      Trees.create(runtime());
      Files.createFile(log());
      write(environment(), Json.mapper().writeValueAsBytes(document.environment()));
    } catch (IOException e) {
      throw failure("make the directory " + root, e);
    }
  }

  /** Adds what came with the document. */
  void fill(WorkDocument document) throws WorkFailure {
    for (Map.Entry<String, byte[]> file : document.files().entrySet()) {
      add(file.getKey(), file.getValue());
    }
    // After the files: one whose path leads through a volume would land in the user's directory.
    for (Volume volume : document.volumes()) {
      attach(volume);
    }
  }

  /** Writes a file that only the owner may read. */
  static void write(Path file, byte[] content) throws IOException {
    Files.createFile(file, Trees.ownerOnlyFile());
    Files.write(file, content, StandardOpenOption.WRITE);
  }

  /** Writes what a launcher reads, where {@link Preamble#path} leads to. */
  void write(Preamble preamble) throws IOException {
    for (Map.Entry<String, String> file : preamble.files().entrySet()) {
      Path path = work().resolve(Preamble.path(file.getKey())).normalize();
      write(path, file.getValue().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Adds a line of the agent's own to the log; where that fails, the end is told without it. */
  void note(String line) {
    try {
      Files.writeString(log(), line + "\n", StandardOpenOption.APPEND);
    } catch (IOException e) {
      LOGGER.warn("Line not added to the log log={}", log(), e);
    }
  }

  /** Says to what stands beside the command that this is over. */
  void over() {
    try {
      Path calls = Files.createDirectories(file("calls"));
      Path unused = Files.createFile(calls.resolve("over"));
    } catch (IOException e) {
      LOGGER.warn("The end of a command not told files={}", file("calls"), e);
    }
  }

  /** Where the rank reads what is known of an end to come. */
  Path notice() {
    return file("notice");
  }

  /** What the rank may touch to say that it gets on. */
  Path heartbeat() {
    return file("heartbeat");
  }

  /** Where the rank may write how far it is. */
  Path progress() {
    return file("progress");
  }

  /** How far the rank said that it is; empty when it said nothing, or no whole number. */
  Optional<Long> readProgress() {
    try {
      if (!Files.isRegularFile(progress()) || Files.size(progress()) > LONGEST_NUMBER) {
        return Optional.empty();
      }
      return Optional.of(Long.valueOf(Files.readString(progress()).strip()));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** What the rank left as its result; empty when it is no JSON or too large. */
  Optional<String> readResult() {
    try {
      if (!Files.isRegularFile(result()) || Files.size(result()) > LARGEST_RESULT) {
        return Optional.empty();
      }
      String text = Files.readString(result(), StandardCharsets.UTF_8);
      return Json.mapper().readTree(text).isMissingNode() ? Optional.empty() : Optional.of(text);
    } catch (IOException | JacksonException e) {
      return Optional.empty();
    }
  }

  void delete() throws IOException {
    Trees.delete(root);
  }

  private void add(String name, byte[] content) throws WorkFailure {
    Path file = inside(name);
    try {
      Files.createDirectories(parent(file));
      Files.write(file, content, StandardOpenOption.CREATE_NEW);
    } catch (IOException e) {
      throw failure("write the file " + name, e);
    }
  }

  private void attach(Volume volume) throws WorkFailure {
    Path link = inside(volume.path());
    Path source = Path.of(volume.source());
    if (!source.isAbsolute() || !Files.isDirectory(source)) {
      throw new WorkFailure(
          ErrorCode.PREPARE_FAILED,
          "the volume %s needs the absolute path of a directory on the node; received: %s"
              .formatted(volume.path(), source));
    }
    try {
      Files.createDirectories(parent(link));
      Files.createSymbolicLink(link, source);
    } catch (IOException e) {
      throw failure("attach the volume " + volume.path(), e);
    }
  }

  private Path inside(String name) throws WorkFailure {
    try {
      Path path = work().resolve(name).normalize();
      if (path.startsWith(work()) && !path.equals(work())) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw failure("use the path " + name, e);
    }
    throw new WorkFailure(
        ErrorCode.PREPARE_FAILED,
        "a file or volume must stay inside the working directory; received: " + name);
  }

  private Path parent(Path path) {
    Path parent = path.getParent();
    return parent == null ? work() : parent;
  }

  private static WorkFailure failure(String what, Exception cause) {
    return new WorkFailure(
        ErrorCode.PREPARE_FAILED, "the node could not " + what + ": " + cause, cause);
  }
}
