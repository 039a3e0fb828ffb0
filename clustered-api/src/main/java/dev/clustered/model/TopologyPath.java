// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;
import java.util.Optional;

/**
 * Where a node is, outermost level first: zone, fabric, block, rack, host. A backend may report
 * fewer or more levels. Immutable and thread-safe.
 *
 * @param levels the levels in order, each name once
 */
public record TopologyPath(List<Level> levels) {

  /** The level that every backend reports. */
  public static final String ZONE = "zone";

  /** The level within which nodes reach one another by RDMA. */
  public static final String FABRIC = "fabric";

  /** One level of the path. */
  public record Level(String name, String value) {}

  public TopologyPath {
    levels = List.copyOf(levels);
    if (levels.stream().map(Level::name).distinct().count() != levels.size()) {
      throw new IllegalArgumentException("a topology level stands twice; received: " + levels);
    }
  }

  /** A path of name and value pairs, outermost first. */
  public static TopologyPath of(String... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException(
          "a topology path takes pairs of level name and value; received "
              + namesAndValues.length
              + " strings");
    }
    Level[] levels = new Level[namesAndValues.length / 2];
    for (int i = 0; i < levels.length; i++) {
      levels[i] = new Level(namesAndValues[2 * i], namesAndValues[2 * i + 1]);
    }
    return new TopologyPath(List.of(levels));
  }

  /** The value at a level, empty when the backend does not report that level. */
  public Optional<String> at(String level) {
    for (Level known : levels) {
      if (known.name().equals(level)) {
        return Optional.of(known.value());
      }
    }
    return Optional.empty();
  }

  /** How many outermost levels two paths share: the larger, the nearer. */
  public int sharedDepth(TopologyPath other) {
    int depth = 0;
    int most = Math.min(levels.size(), other.levels.size());
    while (depth < most && levels.get(depth).equals(other.levels.get(depth))) {
      depth++;
    }
    return depth;
  }

  /** For people: {@code zone=a/fabric=f1}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Level level : levels) {
      text.append(text.isEmpty() ? "" : "/").append(level.name()).append('=').append(level.value());
    }
    return text.toString();
  }
}
