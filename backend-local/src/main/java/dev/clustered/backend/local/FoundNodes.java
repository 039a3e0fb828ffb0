// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.DirectoryLock;
import dev.clustered.model.LaunchId;
import dev.clustered.spi.Instance.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What an earlier program left that is still there. Immutable and thread-safe.
 *
 * @param running the agents of whole launches that live
 * @param lost the records of nodes of whole launches whose agents have ended; their files are gone
 */
record FoundNodes(List<OutlivingHost> running, List<NodeRecord> lost) {

  static final FoundNodes NONE = new FoundNodes(List.of(), List.of());

  FoundNodes {
    running = List.copyOf(running);
    lost = List.copyOf(lost);
  }

  /**
   * Reads every record below a directory that is nobody else's. Launches that never became whole
   * are undone whole before anything else, with whatever has no record.
   */
  static FoundNodes below(Path root) throws IOException {
    Map<LaunchId, Map<Path, NodeRecord>> launches = new LinkedHashMap<>();
    for (Path home : homes(root)) {
      Optional<NodeRecord> record = NodeRecords.read(home);
      if (record.isPresent()) {
        launches
            .computeIfAbsent(record.get().launch(), launch -> new LinkedHashMap<>())
            .put(home, record.get());
      } else {
        Leftovers.remove(home);
      }
    }
    for (Map<Path, NodeRecord> launch : launches.values()) {
      if (!whole(launch)) {
        for (Path home : launch.keySet()) {
          Leftovers.remove(home);
        }
      }
    }
    List<OutlivingHost> running = new ArrayList<>();
    List<NodeRecord> lost = new ArrayList<>();
    for (Map<Path, NodeRecord> launch : launches.values()) {
      if (whole(launch)) {
        sort(launch, running, lost);
      }
    }
    return new FoundNodes(running, lost);
  }

  private static void sort(
      Map<Path, NodeRecord> launch, List<OutlivingHost> running, List<NodeRecord> lost)
      throws IOException {
    for (Map.Entry<Path, NodeRecord> node : launch.entrySet()) {
      Optional<OutlivingHost> host = living(node.getValue(), node.getKey());
      if (host.isPresent()) {
        running.add(host.get());
      } else {
        Leftovers.remove(node.getKey());
        lost.add(node.getValue());
      }
    }
  }

  private static Optional<OutlivingHost> living(NodeRecord record, Path home) throws IOException {
    if (record.agent().isEmpty()) {
      return Optional.empty();
    }
    OutlivingHost host = new OutlivingHost(record, home);
    if (host.look()) {
      return Optional.empty();
    }
    try {
      if (record.state() == State.PENDING) {
        host.keep();
      }
      return Optional.of(host);
    } catch (NoSuchFileException e) {
      return Optional.empty(); // The agent is ending, and has deleted its directory already.
    }
  }

  /** One record that says so was written after every agent of the launch had been started. */
  private static boolean whole(Map<Path, NodeRecord> launch) {
    return launch.values().stream().anyMatch(record -> record.state() == State.RUNNING);
  }

  private static List<Path> homes(Path root) throws IOException {
    try (Stream<Path> files = Files.list(root)) {
      return files.filter(file -> !DirectoryLock.isLock(file)).sorted().toList();
    }
  }
}
