// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The slots of a zone: which are taken, and where each is. Guarded by its owner. */
final class Zone {

  private final String name;
  private final LocalOptions options;
  private final TreeSet<Integer> free = new TreeSet<>();

  Zone(String name, LocalOptions options) {
    this.name = name;
    this.options = options;
    for (int slot = 0; slot < options.nodesPerZone(); slot++) {
      free.add(slot);
    }
  }

  int free() {
    return free.size();
  }

  /** The most free slots that one fabric has. */
  int freeOnBestFabric() {
    return byFabric().values().stream().mapToInt(List::size).max().orElse(0);
  }

  /** Takes slots anywhere in the zone, or none. */
  Optional<List<Integer>> take(int count) {
    return taken(new ArrayList<>(free), count);
  }

  /** Takes slots on the fabric that has the fewest and yet enough, or none. */
  Optional<List<Integer>> takeOnOneFabric(int count) {
    return byFabric().values().stream()
        .filter(slots -> slots.size() >= count)
        .min(java.util.Comparator.comparingInt(List::size))
        .flatMap(slots -> taken(slots, count));
  }

  private Optional<List<Integer>> taken(List<Integer> candidates, int count) {
    if (candidates.size() < count) {
      return Optional.empty();
    }
    List<Integer> slots = List.copyOf(candidates.subList(0, count));
    slots.forEach(free::remove);
    return Optional.of(slots);
  }

  void giveBack(int slot) {
    free.add(slot);
  }

  private Map<Integer, List<Integer>> byFabric() {
    Map<Integer, List<Integer>> fabrics = new TreeMap<>();
    for (int slot : free) {
      fabrics
          .computeIfAbsent(slot / options.nodesPerFabric(), fabric -> new ArrayList<>())
          .add(slot);
    }
    return fabrics;
  }

  TopologyPath topology(int slot) {
    return TopologyPath.of(
        TopologyPath.ZONE,
        name,
        TopologyPath.FABRIC,
        "%s-f%d".formatted(name, slot / options.nodesPerFabric() + 1),
        "block",
        "%s-b%04d".formatted(name, slot / options.nodesPerBlock() + 1),
        "host",
        "%s-h%05d".formatted(name, slot + 1));
  }
}
