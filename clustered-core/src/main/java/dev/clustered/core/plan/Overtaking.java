// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Waiting.Arrival;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Who of a queue may be served before an earlier gang of it that it denies something: who asks for
 * nothing that is lacking, who ends before the earlier one can start by the ends that are known,
 * and who gives way to it by priority. So small gangs do not keep a large one waiting for ever. Not
 * thread-safe.
 */
final class Overtaking {

  private final Instant now;
  private final PlanPolicy policy;
  private final Tenants tenants;
  private final Quotas quotas;

  Overtaking(Instant now, PlanPolicy policy, Tenants tenants, Quotas quotas) {
    this.now = now;
    this.policy = policy;
    this.tenants = tenants;
    this.quotas = quotas;
  }

  /** Who of those that come after a gang that is denied something. */
  Predicate<Arrival> of(GangRequest denied) {
    Account account = quotas.account(denied);
    long[] more = quotas.beyondCharged(denied, quotas.least(denied));
    Start start = new Start(account, more);
    return later ->
        givesWay(later.gang(), denied)
            || !asksForLacking(later, account, more)
            || later.gang().terms().timeLimit().filter(start::isNotBefore).isPresent();
  }

  private boolean givesWay(GangRequest later, GangRequest denied) {
    return policy.preemption().enabled()
        && later.terms().preemptible()
        && later.priority() < denied.priority();
  }

  private boolean asksForLacking(Arrival later, Account account, long[] more) {
    long[] asked = quotas.beyondCharged(later.gang(), quotas.least(later));
    for (int i = 0; i < asked.length; i++) {
      if (asked[i] > 0 && account.full(i, more[i]) != null) {
        return true;
      }
    }
    return false;
  }

  /** When the gang that was denied something can start, found when somebody asks. */
  private final class Start {
    private final Account account;
    private final long[] more;
    private boolean known;
    private Optional<Instant> at = Optional.empty();

    Start(Account account, long[] more) {
      this.account = account;
      this.more = more;
    }

    boolean isNotBefore(Duration limit) {
      if (!known) {
        known = true;
        at = find();
      }
      return at.filter(start -> !now.plus(limit).isAfter(start)).isPresent();
    }

    private Optional<Instant> find() {
      int mark = quotas.mark();
      Optional<Instant> found = Optional.empty();
      for (Tenants.End end : tenants.endsFrom(now.minus(policy.backfill().overdue()))) {
        quotas.giveBack(end.gang());
        if (enough()) {
          found = Optional.of(end.at().isBefore(now) ? now : end.at());
          break;
        }
      }
      quotas.backTo(mark);
      return found;
    }

    private boolean enough() {
      for (int i = 0; i < more.length; i++) {
        if (account.full(i, more[i]) != null) {
          return false;
        }
      }
      return true;
    }
  }
}
