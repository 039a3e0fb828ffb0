// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What gangs were told that wait, so that one like them is told the same without a search, as long
 * as the plan has given nobody anything since. Not thread-safe.
 */
final class Echo {

  private final Map<Like, Told> told = new LinkedHashMap<>();

  /** Gangs that a plan cannot tell apart. */
  record Like(Kind kind, String queue, int priority) {

    static Like of(GangRequest gang, Kind kind) {
      return new Like(kind, gang.terms().queue(), gang.priority());
    }

    /** The same for a gang that may use what is kept for others, since it ends before. */
    Like lifting(List<ClusterId> keptFor) {
      return keptFor.isEmpty() ? this : new Like(kind.lifting(keptFor), queue, priority);
    }
  }

  /**
   * Why a gang waits.
   *
   * @param sites where it could be and keeps later ones from launching
   * @param reasons those that are not about who goes before it
   */
  record Told(
      Set<Site> sites, List<Offer> offers, List<WaitReason> reasons, Optional<Instant> start) {

    Wait to(ClusterId gang, Queue queue) {
      List<WaitReason> all = new ArrayList<>(reasons.size() + 1);
      queue.behind(sites, offers).ifPresent(all::add);
      all.addAll(reasons);
      queue.waits(gang, sites);
      return new Wait(gang, all, start);
    }
  }

  Optional<Told> find(Like like) {
    return Optional.ofNullable(told.get(like));
  }

  void add(Like like, Told what) {
    told.put(like, what);
  }

  /** Somebody was given something: what was told may be so no more. */
  void clear() {
    if (!told.isEmpty()) {
      told.clear();
    }
  }
}
