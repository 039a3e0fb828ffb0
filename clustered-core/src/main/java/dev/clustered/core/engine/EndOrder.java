// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.ClusterEvent;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The order in which the engine heard of the ends of ranks, of one attempt: the one clock that all
 * of them share. Used by the loop's thread alone.
 */
final class EndOrder {

  private final Map<Integer, Integer> places = new LinkedHashMap<>();
  private int attempt;

  /** Takes the ends that an event tells of; a lost node is told of by the verdict alone. */
  void hear(ClusterEvent event, int current) {
    if (event instanceof ClusterEvent.RankEnded ended) {
      add(ended.attempt(), ended.rank());
    } else if (event instanceof ClusterEvent.Verdict verdict) {
      verdict.cause().ifPresent(cause -> cause.rank().ifPresent(rank -> add(current, rank)));
    }
  }

  private void add(int of, int rank) {
    if (of > attempt) {
      places.clear();
      attempt = of;
    }
    if (of == attempt) {
      places.putIfAbsent(rank, places.size());
    }
  }

  /** Places by rank, the first is 0; without the ranks nobody told of. */
  Map<Integer, Integer> places(int of) {
    return of == attempt ? new LinkedHashMap<>(places) : Map.of();
  }
}
