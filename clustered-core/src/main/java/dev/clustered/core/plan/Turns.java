// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * In which order the gangs that wait are served; each comes once.
 *
 * <ol>
 *   <li>A higher priority goes before a lower one. Without queues, of equal ones the gang that
 *       waits longest, then the one that has come first.
 *   <li>A queue that has no more than it owns with its next gang goes before one that would borrow.
 *   <li>Of two queues goes first the one inside the queue of the smaller dominant share, compared
 *       from the root down to where they part: the largest part that it has, and on average had, of
 *       what the root owns of anything, divided by its weight. The next gang itself does not count,
 *       so that neither one large gang nor many small ones are better off.
 *   <li>In a queue, and between queues that are equal so far, the gang goes first that waits
 *       longest, then the one that has come first.
 * </ol>
 *
 * <p>Shares are those of the moment: whoever was served goes back among the others with what it has
 * now, and nobody else is ranked anew. Not thread-safe.
 */
final class Turns {

  private static final Comparator<GangRequest> PRIORITY =
      Comparator.comparingInt(GangRequest::priority)
          .reversed()
          .thenComparing(GangRequest::queuedAt);

  private final Quotas quotas;
  private final Deque<GangRequest> plain = new ArrayDeque<>();
  private final Map<Account, Rank> ranks = new LinkedHashMap<>();

  private final List<Rank> changed = new ArrayList<>();

  /** A gang and its place among those that came. */
  private record Arrival(GangRequest gang, int priority, int number, Total least)
      implements Comparable<Arrival> {

    @Override
    public int compareTo(Arrival other) {
      int priorities = Integer.compare(other.priority, priority);
      return priorities != 0 ? priorities : byTime(other);
    }

    int byTime(Arrival other) {
      int times = gang.queuedAt().compareTo(other.gang.queuedAt());
      return times != 0 ? times : Integer.compare(number, other.number);
    }
  }

  /** A queue among those of the same parent. */
  private static final class Rank implements Comparable<Rank> {
    final Account account;
    final @Nullable Rank parent;
    final List<Arrival> waiting = new ArrayList<>();
    final TreeSet<Rank> children = new TreeSet<>();
    int served;
    @Nullable Arrival head;
    boolean borrows;
    double share;
    boolean changed;

    Rank(Account account, @Nullable Rank parent) {
      this.account = account;
      this.parent = parent;
    }

    /** Of those in which somebody waits. */
    @Override
    public int compareTo(Rank other) {
      Arrival mine = Objects.requireNonNull(head);
      Arrival its = Objects.requireNonNull(other.head);
      int order = Integer.compare(its.priority(), mine.priority());
      order = order != 0 ? order : Boolean.compare(borrows, other.borrows);
      order = order != 0 ? order : Double.compare(share, other.share);
      return order != 0 ? order : mine.byTime(its);
    }
  }

  Turns(List<GangRequest> waiting, Quotas quotas) {
    this.quotas = quotas;
    if (!quotas.limited()) {
      waiting.stream().sorted(PRIORITY).forEach(plain::add);
      return;
    }
    int number = 0;
    for (GangRequest gang : waiting) {
      Rank rank = rank(quotas.accounts().leaf(gang.terms().queue()));
      rank.waiting.add(new Arrival(gang, gang.priority(), number, quotas.least(gang)));
      number++;
    }
    quotas.touched();
    for (Rank rank : ranks.values()) {
      if (!rank.waiting.isEmpty()) {
        Collections.sort(rank.waiting);
        changed(rank);
      }
    }
  }

  private Rank rank(Account account) {
    Rank known = ranks.get(account);
    if (known == null) {
      Account parent = account.parent();
      known = new Rank(account, parent == null ? null : rank(parent));
      ranks.put(account, known);
    }
    return known;
  }

  /** Whether it depends on what those get that are served before who is next. */
  boolean byShare() {
    return quotas.limited();
  }

  /** Who is next; it is not named again. */
  Optional<GangRequest> next() {
    if (!quotas.limited()) {
      return Optional.ofNullable(plain.poll());
    }
    quotas.touched().forEach(this::touched);
    changed.forEach(this::rankAnew);
    changed.clear();
    Rank best = ranks.get(quotas.accounts().root());
    while (best != null && !best.children.isEmpty()) {
      best = best.children.first();
    }
    if (best == null || best.head == null) {
      return Optional.empty();
    }
    GangRequest gang = best.head.gang();
    best.served++;
    changed(best);
    return Optional.of(gang);
  }

  /** Ranks those anew in which somebody waits and whose share has changed. */
  private void touched(Account account) {
    for (Account at = account; at != null; at = at.parent()) {
      Rank waiting = ranks.get(at);
      if (waiting != null) {
        changed(waiting);
        return;
      }
    }
  }

  private void changed(Rank rank) {
    if (!rank.changed) {
      rank.changed = true;
      changed.add(rank);
    }
  }

  /** Puts a queue and those around it where they belong now. */
  private void rankAnew(Rank innermost) {
    innermost.changed = false;
    for (Rank rank = innermost; rank.parent != null; rank = rank.parent) {
      if (rank.head != null) {
        rank.parent.children.remove(rank);
      }
      if (rank.account.children().isEmpty()) {
        rank.head = rank.served < rank.waiting.size() ? rank.waiting.get(rank.served) : null;
        rank.borrows = rank.head != null && quotas.borrows(rank.head.gang(), rank.head.least());
      } else {
        Rank first = rank.children.isEmpty() ? null : rank.children.first();
        rank.head = first == null ? null : first.head;
        rank.borrows = first != null && first.borrows;
      }
      rank.share = rank.account.share(quotas.accounts().root());
      if (rank.head != null) {
        rank.parent.children.add(rank);
      }
    }
  }
}
