// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Charges.Charge;
import dev.clustered.model.ClusterId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Whom of other queues a gang may end for its share; the rule is that of {@link Quotas}. What was
 * found for one gang often holds for the next: it is not found again while it stands. Not
 * thread-safe.
 */
final class Reclaim {

  private final Charges charges;
  private final Account account;
  private final long[] more;

  /** Those found last, and what they were charged. */
  private final Map<ClusterId, Charge> found = new LinkedHashMap<>();

  /** The queues of all that were looked at, and whether anybody of them could be ended at all. */
  private final Map<Account, Boolean> queues = new LinkedHashMap<>();

  /** What those found have, of each queue that gives way. */
  private final Map<Account, long[]> sums = new LinkedHashMap<>();

  /** By how much these queues have more than they own when all that were found have ended. */
  private final Map<Account, long[]> excess = new LinkedHashMap<>();

  private boolean even;
  private boolean wasPossible;

  /**
   * For a gang.
   *
   * @param account that of its queue
   * @param more what it would have beyond what it is charged already
   */
  Reclaim(Charges charges, Account account, long[] more) {
    this.charges = charges;
    this.account = account;
    this.more = more;
  }

  /** Whether it may end a gang as things stand. */
  boolean may(ClusterId victim) {
    Charge charge = charges.of(victim);
    return charge != null && owns(charge.account) && borrows(charge);
  }

  /** Whether its queue, or any around that below the root, owns what it then has. */
  boolean possible() {
    return possible(account, more);
  }

  /** The same for a gang that would have so much more in an account. */
  static boolean possible(Account account, long[] more) {
    Account top = account;
    for (Account at = account.parent(); at != null && at.parent() != null; at = at.parent()) {
      top = at;
    }
    return account.owns(more, top);
  }

  /** Whether its queue, or one around that but not around the other, owns what it then has. */
  private boolean owns(Account other) {
    Account top = account.below(other);
    return top != null && other.below(account) != null && account.owns(more, top);
  }

  /** Whether a queue, and those around it up to the first that both are in, has too much. */
  private boolean borrows(Charge charge) {
    Account top = Objects.requireNonNull(charge.account.below(account));
    for (int i = 0; i < more.length; i++) {
      if (more[i] > 0 && charge.amounts[i] > 0 && charge.account.borrows(i, top)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Those of some that it may end now, and still when all before them have been ended: nobody is
   * left with less than it owns for more than it borrowed.
   */
  List<RunningGang> among(Collection<RunningGang> inOrder) {
    found.clear();
    queues.clear();
    sums.clear();
    excess.clear();
    wasPossible = possible();
    for (RunningGang other : inOrder) {
      Charge charge = charges.of(other.id());
      if (charge != null && !queues.containsKey(charge.account)) {
        queues.put(charge.account, owns(charge.account));
      }
    }
    List<RunningGang> some = new ArrayList<>();
    for (RunningGang other : inOrder) {
      Charge charge = charges.of(other.id());
      if (charge != null && queues.getOrDefault(charge.account, false) && borrows(charge)) {
        charge.account.add(times(charge.amounts, -1));
        found.put(other.id(), charge);
        count(charge, 1);
        some.add(other);
      }
    }
    queues.keySet().forEach(queue -> around(queue).forEach(a -> excess.put(a, excess(a))));
    even = nobodyIsLeftShort();
    found.values().forEach(charge -> charge.account.add(charge.amounts));
    return some;
  }

  /** One of those found last ends. */
  void ended(ClusterId gang) {
    Charge charge = found.remove(gang);
    if (charge != null) {
      count(charge, -1);
    }
  }

  /**
   * Whether the same would be found now, without those that have ended since. It surely would when
   * it comes out even, and no queue has more than then: whoever was found is still taken from a
   * queue that has too much, and for whoever was not there is still nothing to take.
   */
  boolean stands() {
    if (!even
        || wasPossible != possible()
        || queues.entrySet().stream().anyMatch(q -> owns(q.getKey()) != q.getValue())) {
      return false;
    }
    queues.keySet().forEach(queue -> queue.add(times(sum(queue), -1)));
    boolean stands = nobodyIsLeftShort() && nobodyHasMore();
    queues.keySet().forEach(queue -> queue.add(sum(queue)));
    return stands;
  }

  private boolean nobodyIsLeftShort() {
    for (Map.Entry<Account, long[]> sum : sums.entrySet()) {
      long[] left = excess(sum.getKey());
      for (int i = 0; i < left.length; i++) {
        if (more[i] > 0 && sum.getValue()[i] > 0 && left[i] < 0) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean nobodyHasMore() {
    for (Map.Entry<Account, long[]> then : excess.entrySet()) {
      long[] left = excess(then.getKey());
      for (int i = 0; i < left.length; i++) {
        if (more[i] > 0 && left[i] > then.getValue()[i]) {
          return false;
        }
      }
    }
    return true;
  }

  private void count(Charge charge, long times) {
    for (Account queue : around(charge.account)) {
      long[] sum = sums.computeIfAbsent(queue, q -> new long[more.length]);
      for (int i = 0; i < sum.length; i++) {
        sum[i] += times * charge.amounts[i];
      }
    }
  }

  private long[] sum(Account queue) {
    return sums.getOrDefault(queue, new long[more.length]);
  }

  /** A queue and those around it that are not around the gang's. */
  private List<Account> around(Account queue) {
    List<Account> around = new ArrayList<>();
    Account top = queue.below(account);
    for (Account at = queue; at != null && top != null; at = at.parent()) {
      around.add(at);
      if (at == top) {
        break;
      }
    }
    return around;
  }

  private long[] excess(Account queue) {
    long[] excess = new long[more.length];
    for (int i = 0; i < excess.length; i++) {
      excess[i] = queue.excess(i);
    }
    return excess;
  }

  private static long[] times(long[] amounts, long times) {
    long[] all = amounts.clone();
    for (int i = 0; i < all.length; i++) {
      all[i] *= times;
    }
    return all;
  }
}
