// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each gang is charged, and how that was changed, last first. Not thread-safe. */
final class Charges {

  private final Map<ClusterId, Charge> byGang = new LinkedHashMap<>();
  private final List<Change> log = new ArrayList<>();
  private final List<Account> touched = new ArrayList<>();

  /** What one gang is charged. */
  static final class Charge {
    final Account account;
    final long[] amounts;

    Charge(Account account, long[] amounts) {
      this.account = account;
      this.amounts = amounts;
    }
  }

  private record Change(ClusterId gang, @Nullable Charge before) {}

  @Nullable Charge of(ClusterId gang) {
    return byGang.get(gang);
  }

  /** Charges a gang this instead of what it was charged before; nothing when it is null. */
  void set(ClusterId gang, @Nullable Charge charge) {
    log.add(new Change(gang, byGang.get(gang)));
    exchange(gang, charge);
  }

  private void exchange(ClusterId gang, @Nullable Charge charge) {
    Charge before = byGang.remove(gang);
    if (before != null) {
      long[] back = before.amounts.clone();
      for (int i = 0; i < back.length; i++) {
        back[i] = -back[i];
      }
      before.account.add(back);
      touched.add(before.account);
    }
    if (charge != null) {
      charge.account.add(charge.amounts);
      touched.add(charge.account);
      byGang.put(gang, charge);
    }
  }

  /** What a gang would have beyond what it is charged, of these amounts, which are changed. */
  long[] beyond(ClusterId gang, long[] amounts) {
    Charge charge = byGang.get(gang);
    if (charge != null) {
      for (int i = 0; i < amounts.length; i++) {
        amounts[i] -= charge.amounts[i];
      }
    }
    return amounts;
  }

  int mark() {
    return log.size();
  }

  void backTo(int mark) {
    while (log.size() > mark) {
      Change change = log.removeLast();
      exchange(change.gang(), change.before());
    }
  }

  /** The accounts that were charged or given back to since this was asked last. */
  List<Account> touched() {
    List<Account> since = List.copyOf(touched);
    touched.clear();
    return since;
  }
}
