// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a queue owns and what is used of it. Gangs are charged to accounts without children alone: a
 * queue with queues inside has one more account for its own gangs, which owns what these leave. Not
 * thread-safe.
 */
final class Account {

  private final String queue;
  private final @Nullable Account parent;
  private final int depth;
  private final double weight;
  private final List<Account> children = new ArrayList<>();

  /** What the subtree owns. */
  private final long[] nominal;

  /** What it may borrow; {@link Long#MAX_VALUE} for any amount. */
  private final long[] borrowing;

  /** What it lends at most; {@link Long#MAX_VALUE} for all. */
  private final long[] lending;

  /** What it can share out: what it owns, without what its children keep to themselves. */
  private final long[] pool;

  /** What of that it keeps to itself. */
  private final long[] keeps;

  /** What all queues inside it keep to themselves. */
  private final long[] keptInside;

  /** What of its pool and of what is borrowed can be used at once. */
  private final long[] bound;

  /** What its gangs could have if nobody else had any. */
  private final long[] most;

  /** What is used of the pool, and borrowed. */
  private final long[] used;

  /** What all gangs of the subtree have. */
  private final long[] held;

  /** What they had on average in the past: GPUs, CPUs, bytes of memory. */
  private final double[] past = new double[3];

  /** Its number among the accounts of its tree; set by {@link Accounts}. */
  int number;

  Account(
      String queue,
      @Nullable Account parent,
      double weight,
      long[] nominal,
      long[] borrowing,
      long[] lending) {
    int size = nominal.length;
    this.queue = queue;
    this.parent = parent;
    this.depth = parent == null ? 0 : parent.depth + 1;
    this.weight = weight;
    this.nominal = nominal;
    this.borrowing = borrowing;
    this.lending = lending;
    this.pool = new long[size];
    this.keeps = new long[size];
    this.keptInside = new long[size];
    this.bound = new long[size];
    this.most = new long[size];
    this.used = new long[size];
    this.held = new long[size];
    if (parent != null) {
      parent.children.add(this);
    }
  }

  /** Whether it is of a queue's own gangs, beside the queues inside it. */
  boolean ofItsOwn() {
    return parent != null && parent.queue.equals(queue);
  }

  /** To be called for each child before its parent. */
  void poolUp() {
    for (int i = 0; i < nominal.length; i++) {
      pool[i] += nominal[i];
      boolean root = parent == null;
      keeps[i] = root ? 0 : pool[i] - Math.min(pool[i], lending[i]);
      bound[i] = root ? pool[i] : plus(pool[i], borrowing[i]);
      if (parent != null) {
        parent.pool[i] -= nominal[i] - (pool[i] - keeps[i]);
        parent.keptInside[i] += keeps[i] + keptInside[i];
      }
    }
  }

  /** To be called for each parent before its children, after {@link #poolUp}. */
  void reachDown() {
    for (int i = 0; i < nominal.length; i++) {
      most[i] =
          parent == null ? pool[i] : plus(keeps[i], Math.min(parent.most[i], bound[i] - keeps[i]));
    }
  }

  private static long plus(long amount, long limit) {
    return limit == Long.MAX_VALUE ? limit : amount + limit;
  }

  /** What is used of it now. */
  long[] used() {
    return used.clone();
  }

  /** Whether less of anything is used than then. */
  boolean usesLess(long[] then) {
    for (int i = 0; i < used.length; i++) {
      if (used[i] < then[i]) {
        return true;
      }
    }
    return false;
  }

  /** Nothing is charged to it any more, and nothing was in the past. */
  void clear() {
    Arrays.fill(used, 0);
    Arrays.fill(held, 0);
    Arrays.fill(past, 0);
  }

  /** Charges the account and all around it, or gives back when the change is negative. */
  void add(long[] change) {
    for (int i = 0; i < change.length; i++) {
      long rest = change[i];
      for (Account at = this; at != null; at = at.parent) {
        at.held[i] += change[i];
        long before = Math.max(0, at.used[i] - at.keeps[i]);
        at.used[i] += rest;
        rest = Math.max(0, at.used[i] - at.keeps[i]) - before;
      }
    }
  }

  /** Its gangs had so much on average. */
  void addPast(double gpus, double cpus, double bytes) {
    for (Account at = this; at != null; at = at.parent) {
      at.past[0] += gpus;
      at.past[1] += cpus;
      at.past[2] += bytes;
    }
  }

  /** The innermost account around a gang that cannot have more of an amount; null if all can. */
  @Nullable Account full(int amount, long more) {
    long rest = more;
    for (Account at = this; at != null && rest > 0; at = at.parent) {
      if (at.used[amount] + rest > at.bound[amount]) {
        return at;
      }
      rest -= Math.clamp(at.keeps[amount] - at.used[amount], 0, rest);
    }
    return null;
  }

  /** What all gangs of the subtree can have in all, as far as this account limits it. */
  long limit(int amount) {
    return plus(keptInside[amount], bound[amount]);
  }

  /** What those inside it keep from the gangs of one of them, and do not use. */
  long keptFrom(Account one, int amount) {
    long kept = 0;
    for (Account child : keptInside[amount] > 0 ? children : List.<Account>of()) {
      boolean around = child == one || one.isInside(child);
      kept += around ? 0 : Math.max(0, child.keeps[amount] - child.used[amount]);
      kept += child.keptFrom(one, amount);
    }
    return kept;
  }

  /** What one inside it, or one around that, owns and has lent to others when nothing is left. */
  long lentBy(Account one, int amount) {
    long most = 0;
    for (Account at = one; at != this && at.parent != null; at = at.parent) {
      most = Math.max(most, at.pool[amount] - Math.max(at.used[amount], at.keeps[amount]));
    }
    long left = Math.max(0, bound[amount] - used[amount]);
    return Math.clamp(most - left, 0, Math.max(0, used[amount]));
  }

  private boolean isInside(Account other) {
    Account at = parent;
    while (at != null && at != other) {
      at = at.parent;
    }
    return at == other;
  }

  /** What its gangs could ever have. */
  long most(int amount) {
    return most[amount];
  }

  long held(int amount) {
    return held[amount];
  }

  long nominal(int amount) {
    return nominal[amount];
  }

  /**
   * Whether it has more than it owns; what the queues inside it keep to themselves and do not use
   * is not its to give.
   */
  boolean borrows(int amount) {
    return excess(amount) > 0;
  }

  /** How much more it has than it owns; less than nothing when it has less. */
  long excess(int amount) {
    return used[amount] - pool[amount];
  }

  /** Whether this or one of those around it, up to the top, owns what it has with so much more. */
  boolean owns(long[] more, Account top) {
    long[] rest = more.clone();
    Account at = this;
    while (!at.ownsAll(rest)) {
      for (int i = 0; i < rest.length; i++) {
        rest[i] -= Math.clamp(at.keeps[i] - at.used[i], 0, Math.max(0, rest[i]));
      }
      if (at == top || at.parent == null) {
        return false;
      }
      at = at.parent;
    }
    return true;
  }

  private boolean ownsAll(long[] rest) {
    for (int i = 0; i < rest.length; i++) {
      if (rest[i] > 0 && used[i] + rest[i] > pool[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether this and all around it, up to the top, have more of an amount than they own. */
  boolean borrows(int amount, Account top) {
    Account at = this;
    while (at != top && at.parent != null && at.borrows(amount)) {
      at = at.parent;
    }
    return at.borrows(amount);
  }

  /** Its dominant share of what the root owns, that of the past included, by its weight. */
  double share(Account root) {
    double share = part(Measure.gpus(held) + past[0], Measure.gpus(root.nominal));
    if (nominal.length > 0) {
      share = Math.max(share, part(held[Measure.CPUS] + past[1], root.nominal[Measure.CPUS]));
      share = Math.max(share, part(held[Measure.MEMORY] + past[2], root.nominal[Measure.MEMORY]));
    }
    return share / weight;
  }

  private static double part(double used, long all) {
    return all == 0 ? 0 : used / all;
  }

  /** The outermost account around this one that is not around the other. */
  @Nullable Account below(Account other) {
    Account mine = this;
    Account its = other;
    @Nullable Account last = null;
    while (mine != its) {
      if (mine.depth >= its.depth) {
        last = mine;
        mine = Objects.requireNonNull(mine.parent);
      } else {
        its = Objects.requireNonNull(its.parent);
      }
    }
    return last;
  }

  String queue() {
    return queue;
  }

  @Nullable Account parent() {
    return parent;
  }

  List<Account> children() {
    return children;
  }
}
