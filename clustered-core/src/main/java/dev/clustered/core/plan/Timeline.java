// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Tenants.End;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What comes free when, as far as ends are known: of the gangs that run and of those that this plan
 * places. Not thread-safe.
 */
final class Timeline {

  private final Instant now;
  private final Duration overdue;
  private final Tenants tenants;
  private final Pool pool;
  private final List<Start> starts = new ArrayList<>();
  private final List<End> ends = new ArrayList<>();
  private boolean counted;

  /** A gang that this plan gives nodes. */
  private record Start(GangRequest gang, Placement placement) {}

  Timeline(Instant now, Duration overdue, Tenants tenants, Pool pool) {
    this.now = now;
    this.overdue = overdue;
    this.tenants = tenants;
    this.pool = pool;
  }

  /** A gang gets nodes with this plan. */
  void starts(GangRequest gang, Placement placement) {
    starts.add(new Start(gang, placement)); // Looked at only when somebody waits.
  }

  private void count() {
    if (!counted) {
      ends.addAll(tenants.endsFrom(now.minus(overdue))); // On others nobody counts any more.
      counted = true;
    }
    for (Start start : starts) {
      RunningGang gang = running(start);
      gang.expectedEnd().ifPresent(at -> insert(new End(at, gang)));
    }
    starts.clear();
  }

  private RunningGang running(Start start) {
    Placement placement = start.placement();
    List<Member> members = new ArrayList<>();
    List<Holding> holdings = pool.holdings(placement, start.gang().need());
    for (Role role : placement.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        members.add(new Member(members.size(), role.name(), holdings.get(members.size())));
      }
    }
    return new RunningGang(
        start.gang(),
        members,
        holdings.subList(members.size(), holdings.size()),
        now,
        start.gang().terms().timeLimit().map(now::plus),
        RunningGang.Phase.RUNNING,
        Optional.empty());
  }

  private void insert(End end) {
    int at = Collections.binarySearch(ends, end);
    ends.add(at < 0 ? -at - 1 : at, end);
  }

  /**
   * The first time at which something is so, and leaves the pool as it is then; as it was, when it
   * never is as far as is known.
   */
  Optional<Instant> first(BooleanSupplier condition, Owed owed) {
    count();
    int mark = pool.mark();
    Owed owedSoFar = owed;
    int done = 0;
    int step = 1;
    while (done < ends.size()) {
      int markSoFar = pool.mark();
      int next = Math.min(ends.size(), done + step);
      Owed owedThen = free(done, next, owedSoFar);
      if (condition.getAsBoolean()) {
        int least = leastWithin(done, next, markSoFar, owedSoFar, condition);
        return Optional.of(later(now, ends.get(least - 1).at()));
      }
      owedSoFar = owedThen;
      done = next;
      step *= 2;
    }
    pool.backTo(mark);
    return Optional.empty();
  }

  /** How many ends it takes: more than some, no more than others. */
  private int leastWithin(
      int tooFew, int enough, int mark, Owed owedBefore, BooleanSupplier condition) {
    int low = tooFew;
    int high = enough;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      pool.backTo(mark);
      free(tooFew, middle, owedBefore);
      if (condition.getAsBoolean()) {
        high = middle;
      } else {
        low = middle;
      }
    }
    // Ends at one moment come together: what one of them frees is not had before the others.
    while (high < enough && ends.get(high).at().equals(ends.get(high - 1).at())) {
      high++;
    }
    pool.backTo(mark);
    free(tooFew, high, owedBefore);
    return high;
  }

  /** Frees what some of those that end hold; gives what is owed after that. */
  private Owed free(int from, int to, Owed owedBefore) {
    Owed owed = owedBefore.copy();
    for (int i = from; i < to; i++) {
      for (Holding held : Tenants.holdings(ends.get(i).gang())) {
        pool.give(held, owed);
      }
    }
    return owed;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }
}
