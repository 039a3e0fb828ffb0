// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What this plan has found no room for: a plan only ever takes, so what a gang did not find, no
 * larger one of its kind finds later. Not thread-safe.
 */
final class Unplaced {

  private final Map<Kind, Integer> least = new LinkedHashMap<>();

  private static Kind anySize(GangRequest gang, Kind kind) {
    Role role = gang.roles().getFirst();
    boolean plain =
        gang.roles().size() == 1
            && gang.alternatives().isEmpty()
            && role.layout().equals(Layout.ANY)
            && role.minimum() == role.nodes();
    return plain
        ? new Kind(
            List.of(role.withNodes(1)), gang.layout(), gang.spares(), List.of(), kind.lifted())
        : kind;
  }

  /** Whether a gang of its kind, no larger, found no room before. */
  boolean before(GangRequest gang, Kind kind) {
    return gang.nodes() >= least.getOrDefault(anySize(gang, kind), Integer.MAX_VALUE);
  }

  /** A gang found no room. */
  void add(GangRequest gang, Kind kind) {
    least.merge(anySize(gang, kind), gang.nodes(), Math::min);
  }
}
