// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What this plan has found no room for: a plan only ever takes, so what a gang did not find, no
 * larger one of its kind finds later. Not thread-safe.
 */
final class Unplaced {

  private final Map<Kind, Integer> least = new LinkedHashMap<>();

  /** Whether a gang of its kind, no larger, found no room before. */
  boolean before(GangRequest gang, Kind kind) {
    return gang.nodes() >= least.getOrDefault(kind.anySize(), Integer.MAX_VALUE);
  }

  /** A gang found no room. */
  void add(GangRequest gang, Kind kind) {
    least.merge(kind.anySize(), gang.nodes(), Math::min);
  }
}
