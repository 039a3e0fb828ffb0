// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import dev.clustered.model.ByteSize;
import dev.clustered.model.OutOfMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cgroup v2 directory that holds the processes of one scope. Thread-safe. */
final class Cgroup {
  private static final Logger LOGGER = LoggerFactory.getLogger(Cgroup.class);
  private static final String KILLED = "oom_kill ";

  private static final String USED = "usage_usec ";

  private final Path directory;

  private Cgroup(Path directory) {
    this.directory = directory;
  }

  /** The cgroup v2 directory of this process, where there is one. */
  static Optional<Path> own() {
    try {
      return CgroupLocation.find(
          Files.readString(Path.of("/proc/self/mountinfo")),
          Files.readString(Path.of("/proc/self/cgroup")));
    } catch (IOException e) {
      LOGGER.debug("No cgroup can be found", e);
      return Optional.empty();
    }
  }

  /** The cgroup of a directory that exists. */
  static Cgroup at(Path directory) {
    return new Cgroup(directory);
  }

  /** A new cgroup below a given one, or nothing where that is not permitted. */
  static Optional<Cgroup> create(Path parent, String scope) {
    Path directory = parent.resolve("clustered-" + scope);
    try {
      Files.createDirectory(directory);
      if (Files.isWritable(directory.resolve("cgroup.procs"))
          && Files.isWritable(parent.resolve("cgroup.procs"))) {
        return Optional.of(at(directory));
      }
      Files.delete(directory);
    } catch (IOException e) {
      LOGGER.debug("Scopes go without a cgroup parent={} scope={}", parent, scope, e);
    }
    return Optional.empty();
  }

  Path directory() {
    return directory;
  }

  /** Moves a child and whatever it has forked meanwhile. */
  void adopt(int pid) {
    Deque<Integer> left = new ArrayDeque<>(List.of(pid));
    Set<Integer> moved = new HashSet<>();
    while (!left.isEmpty()) {
      int next = left.pop();
      if (moved.add(next)) {
        write("cgroup.procs", next);
        // Read after the move: what is forked from now on is inside by itself.
        left.addAll(ProcessTable.pids("/proc/" + next + "/task/" + next + "/children"));
      }
    }
  }

  /** The processes inside, in all cgroups below as well. */
  List<Integer> pids() {
    try (var directories = Files.walk(directory)) {
      return directories
          .filter(path -> path.endsWith("cgroup.procs"))
          .flatMap(file -> ProcessTable.pids(file.toString()).stream())
          .toList();
    } catch (IOException | UncheckedIOException e) {
      LOGGER.debug("A cgroup cannot be read directory={}", directory, e);
      return List.of();
    }
  }

  /** Kills everything inside at once, where the kernel can; it can since 5.14. */
  void kill() {
    if (Files.exists(directory.resolve("cgroup.kill"))) {
      write("cgroup.kill", 1);
    }
  }

  /**
   * Whether the kernel has killed a process inside for want of memory, as far as it counts here.
   */
  Optional<OutOfMemory> outOfMemory() {
    long killed =
        read("memory.events")
            .lines()
            .filter(line -> line.startsWith(KILLED))
            .mapToLong(line -> number(line.substring(KILLED.length())).orElse(0))
            .sum();
    return killed > 0 ? Optional.of(new OutOfMemory(peak())) : Optional.empty();
  }

  /** The processor time used inside; empty when it is empty or does not tell. */
  Optional<Duration> processorTime() {
    if (pids().isEmpty()) {
      return Optional.empty(); // The kernel refused to move the processes here.
    }
    return read("cpu.stat")
        .lines()
        .filter(line -> line.startsWith(USED))
        .findFirst()
        .flatMap(line -> number(line.substring(USED.length())).stream().boxed().findFirst())
        .map(micros -> Duration.of(micros, ChronoUnit.MICROS));
  }

  private Optional<ByteSize> peak() {
    return number(read("memory.peak")).stream().mapToObj(ByteSize::new).findFirst();
  }

  private static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text.strip()));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** The content of a file; empty where the kernel has none, or the controller is off. */
  private String read(String file) {
    try {
      return Files.readString(directory.resolve(file));
    } catch (IOException e) {
      LOGGER.debug("A cgroup does not tell directory={} file={}", directory, file, e);
      return "";
    }
  }

  /** Removes the cgroup with those that its processes made below. */
  void remove() {
    try (var directories = Files.walk(directory)) {
      List<Path> deepestFirst = directories.filter(Files::isDirectory).toList().reversed();
      for (Path path : deepestFirst) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      LOGGER.debug("A cgroup cannot be removed directory={}", directory, e);
    }
  }

  private void write(String file, int value) {
    try {
      Files.writeString(directory.resolve(file), Integer.toString(value), StandardOpenOption.WRITE);
    } catch (IOException e) {
      LOGGER.debug("A cgroup refused directory={} file={} value={}", directory, file, value, e);
    }
  }
}
