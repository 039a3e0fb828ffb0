// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.Waiting.Arrival;
import dev.clustered.core.plan.Waiting.Group;
import dev.clustered.model.ClusterId;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
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
 *   <li>When the queue of a gang may have no more, all like it in the queue are passed over until
 *       whoever denied it has given something back, and so are later ones that may not overtake it.
 * </ol>
 *
 * <p>Shares are those of the moment: whoever was served goes back among the others with what it has
 * now, and nobody else is ranked anew. Not thread-safe.
 */
final class Turns {

  private final Quotas quotas;
  private final Set<ClusterId> apart;
  private final @Nullable Rank[] ranks;
  private final List<Rank> all = new ArrayList<>();
  private final List<Rank> changed = new ArrayList<>();
  private final Rank plain = new Rank(null, null);
  private final Map<Account, Barrier> barriers = new LinkedHashMap<>();
  private final Set<Cursor> passedOver = Collections.newSetFromMap(new LinkedHashMap<>());
  private @Nullable Cursor last;

  /** Those of a group who are still to be served. */
  private static final class Cursor implements Comparable<Cursor> {
    final Rank rank;
    final @Nullable Group group;
    final Iterator<Arrival> rest;
    int served;
    @Nullable Total least;
    @Nullable Arrival head;
    List<WaitReason> reasons = List.of();

    Cursor(Rank rank, @Nullable Group group, Iterator<Arrival> rest) {
      this.rank = rank;
      this.group = group;
      this.rest = rest;
    }

    Arrival first() {
      return Objects.requireNonNull(head);
    }

    @Override
    public int compareTo(Cursor other) {
      return first().compareTo(other.first());
    }
  }

  /** A queue that can have no more, and who was passed over since; the most that was used then. */
  private static final class Barrier {
    long[] used = {};
    final List<Cursor> behind = new ArrayList<>();

    void add(Cursor cursor, Account full) {
      if (behind.isEmpty() || !full.usesLess(used)) {
        used = full.used();
      }
      behind.add(cursor);
    }
  }

  /** A queue among those of the same parent. */
  private static final class Rank implements Comparable<Rank> {
    final @Nullable Account account;
    final @Nullable Rank parent;
    final TreeSet<Cursor> waiting = new TreeSet<>();
    final TreeSet<Rank> children = new TreeSet<>();
    @Nullable Arrival head;
    boolean borrows;
    double share;
    boolean changed;

    Rank(@Nullable Account account, @Nullable Rank parent) {
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

  /**
   * The turns of those that wait.
   *
   * @param apart who is like nobody else in this plan
   */
  Turns(Waiting waiting, Quotas quotas, Set<ClusterId> apart) {
    this.quotas = quotas;
    this.apart = apart;
    this.ranks = new Rank[quotas.accounts().size()];
    for (String queue : waiting.queues()) {
      Rank rank = quotas.limited() ? rank(quotas.accounts().leaf(queue)) : plain;
      waiting.of(queue).forEach(group -> add(rank, group));
    }
    for (ClusterId id : apart) {
      waiting.find(id).ifPresent(this::addAlone);
    }
    quotas.touched();
    all.stream().filter(rank -> !rank.waiting.isEmpty()).forEach(this::changed);
  }

  private void add(Rank rank, Group group) {
    advance(new Cursor(rank, group, group.gangs().iterator()));
  }

  private void addAlone(Arrival gang) {
    Rank rank =
        quotas.limited() ? rank(quotas.accounts().leaf(gang.gang().terms().queue())) : plain;
    Cursor cursor = new Cursor(rank, null, Collections.emptyIterator());
    cursor.head = gang;
    rank.waiting.add(cursor);
  }

  /** The next of a group, if there is one, waits for its turn. */
  private void advance(Cursor cursor) {
    cursor.head = following(cursor);
    if (cursor.head != null) {
      cursor.rank.waiting.add(cursor);
    }
  }

  private @Nullable Arrival following(Cursor cursor) {
    while (cursor.rest.hasNext()) {
      Arrival next = cursor.rest.next();
      if (apart.isEmpty() || !apart.contains(next.gang().id())) {
        return next;
      }
    }
    return null;
  }

  private Rank rank(Account account) {
    Rank known = ranks[account.number];
    if (known == null) {
      Account parent = account.parent();
      known = new Rank(account, parent == null ? null : rank(parent));
      ranks[account.number] = known;
      all.add(known);
    }
    return known;
  }

  /** Whether it depends on what those get that are served before who is next. */
  boolean byShare() {
    return quotas.limited();
  }

  /** Who is next; it is not named again. */
  Optional<GangRequest> next() {
    Rank leaf = plain;
    if (quotas.limited()) {
      quotas.touched().forEach(this::touched);
      changed.forEach(this::rankAnew);
      changed.clear();
      Rank root = ranks[quotas.accounts().root().number];
      leaf = root == null ? plain : root;
      while (!leaf.children.isEmpty()) {
        leaf = leaf.children.first();
      }
    }
    last = leaf.waiting.pollFirst();
    if (last == null) {
      return Optional.empty();
    }
    GangRequest gang = last.first().gang();
    last.served++;
    advance(last);
    changed(leaf);
    return Optional.of(gang);
  }

  /**
   * The queue of the gang served last can have no more: who is like it is passed over, and who may
   * not overtake it, unless their turn comes again.
   *
   * @param full the queues that can have no more
   * @param overtakes who of its queue may be served all the same
   */
  void passOver(Wait denied, Collection<Account> full, Predicate<Arrival> overtakes) {
    Cursor cursor = Objects.requireNonNull(last, "nobody was served");
    if (cursor.head != null) {
      passOver(cursor, full, denied.reasons());
    }
    List<WaitReason> behind = List.of(new WaitReason.Behind(1, denied.gang()));
    for (Cursor later : List.copyOf(cursor.rank.waiting)) {
      Arrival next = later.first();
      if (later.group != null && next.gang().claim().isEmpty() && !overtakes.test(next)) {
        // Who was denied does not come again if it was the last like it: then neither do they.
        passOver(later, cursor.head == null ? List.of() : full, behind);
      }
    }
  }

  private void passOver(Cursor cursor, Collection<Account> full, List<WaitReason> reasons) {
    cursor.rank.waiting.remove(cursor);
    cursor.reasons = reasons;
    passedOver.add(cursor);
    for (Account account : full) {
      barriers.computeIfAbsent(account, a -> new Barrier()).add(cursor, account);
    }
  }

  /** Adds what those are told who were passed over and have not come to their turn again. */
  void addWaits(List<Decision> waits) {
    for (Cursor cursor : passedOver) {
      if (cursor.group != null && apart.isEmpty()) {
        waits.addAll(cursor.group.answers(cursor.served, cursor.reasons));
      } else {
        for (Arrival next = cursor.head; next != null; next = following(cursor)) {
          waits.add(new Wait(next.gang().id(), cursor.reasons, Optional.empty()));
        }
      }
    }
  }

  /** Ranks those anew in which somebody waits and whose share has changed. */
  private void touched(Account account) {
    @Nullable Rank innermost = null;
    for (Account at = account; at != null; at = at.parent()) {
      Barrier barrier = barriers.get(at);
      if (barrier != null && at.usesLess(barrier.used)) {
        barriers.remove(at);
        barrier.behind.stream().filter(passedOver::remove).forEach(this::comesAgain);
      }
      innermost = innermost == null ? ranks[at.number] : innermost;
    }
    if (innermost != null) {
      changed(innermost);
    }
  }

  private void comesAgain(Cursor cursor) {
    cursor.rank.waiting.add(cursor);
    changed(cursor.rank);
  }

  private void changed(Rank rank) {
    if (!rank.changed) {
      rank.changed = true;
      changed.add(rank);
    }
  }

  private boolean borrows(Account account, Cursor cursor) {
    GangRequest gang = cursor.first().gang();
    if (cursor.least == null) {
      cursor.least = quotas.least(cursor.first());
    }
    return quotas.borrows(account, gang, cursor.least);
  }

  /** Puts a queue and those around it where they belong now. */
  private void rankAnew(Rank innermost) {
    innermost.changed = false;
    for (Rank rank = innermost; rank.parent != null; rank = rank.parent) {
      Account account = Objects.requireNonNull(rank.account);
      if (rank.head != null) {
        rank.parent.children.remove(rank);
      }
      if (account.children().isEmpty()) {
        Cursor first = rank.waiting.isEmpty() ? null : rank.waiting.first();
        rank.head = first == null ? null : first.head;
        rank.borrows = first != null && borrows(account, first);
      } else {
        Rank first = rank.children.isEmpty() ? null : rank.children.first();
        rank.head = first == null ? null : first.head;
        rank.borrows = first != null && first.borrows;
      }
      rank.share = account.share(quotas.accounts().root());
      if (rank.head != null) {
        rank.parent.children.add(rank);
      }
    }
  }
}
