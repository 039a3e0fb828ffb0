// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who gives way to whom: all that may be ended at all, looked up once for a plan and fewer with
 * each that is ended, and who of them yields to gangs of one queue, priority and size. Not
 * thread-safe.
 */
final class Candidates {

  /** Who is ended rather than the others: lower priorities, then less work, then the newest. */
  private final Comparator<RunningGang> leastLoss;

  private final Instant now;
  private final PlanPolicy.Preemption policy;
  private final Tenants tenants;
  private final Quotas quotas;
  private final Set<ClusterId> untouched;
  private final List<RunningGang> elastic = new ArrayList<>();
  private final Map<ClusterId, RunningGang> inOrder = new LinkedHashMap<>();

  /** Those of each queue, in order, and those who have been ended since too. */
  private final Map<Account, List<RunningGang>> byQueue = new LinkedHashMap<>();

  private final List<RunningGang> gone = new ArrayList<>();
  private final Map<Asker, Yielding> yielding = new LinkedHashMap<>();
  private boolean counted;

  /** Gangs to which the same yield. */
  private record Asker(String queue, int priority, List<Long> more) {}

  /**
   * Of the gangs that have nodes.
   *
   * @param untouched who is nobody's victim; not to grow once somebody was asked for
   */
  Candidates(
      Instant now,
      PlanPolicy.Preemption policy,
      Tenants tenants,
      Quotas quotas,
      Set<ClusterId> untouched) {
    this.now = now;
    this.policy = policy;
    this.tenants = tenants;
    this.quotas = quotas;
    this.untouched = untouched;
    this.leastLoss =
        Comparator.comparingInt((RunningGang gang) -> gang.request().priority())
            .thenComparing(gang -> Victims.work(gang, now))
            .thenComparing(RunningGang::startedAt, Comparator.reverseOrder())
            .thenComparing(RunningGang::id);
  }

  Comparator<RunningGang> leastLoss() {
    return leastLoss;
  }

  private void count() {
    if (!counted) {
      counted = true;
      List<RunningGang> some = new ArrayList<>();
      for (RunningGang gang : tenants.all()) {
        if (gang.works() && !untouched.contains(gang.id())) {
          if (gang.request().terms().preemptible()
              && !gang.startedAt().plus(policy.minimumRuntime()).isAfter(now)) {
            some.add(gang);
          }
          if (gang.members().size() > gang.request().minimum()) {
            elastic.add(gang);
          }
        }
      }
      some.sort(leastLoss);
      for (RunningGang gang : some) {
        inOrder.put(gang.id(), gang);
        Account queue = quotas.account(gang.request());
        byQueue.computeIfAbsent(queue, q -> new ArrayList<>()).add(gang);
      }
    }
  }

  /** Who was a candidate and is ended. */
  void ended(RunningGang gang) {
    elastic.removeIf(other -> other.id().equals(gang.id()));
    if (inOrder.remove(gang.id()) != null) {
      gone.add(gang);
    }
  }

  /** The charges of some have changed, so nothing that was found by them holds any more. */
  void chargedAnew() {
    yielding.clear();
  }

  /** Who has ranks beyond its minimum that it gives up for a gang, in the order of identities. */
  List<RunningGang> elasticFor(GangRequest gang) {
    count();
    return elastic.isEmpty()
        ? List.of()
        : elastic.stream().filter(other -> yields(gang, other)).toList();
  }

  /** By priority inside a queue; of another queue, what is reclaimed. */
  private boolean yields(GangRequest gang, RunningGang other) {
    return quotas.sameQueue(gang, other)
        ? other.request().priority() < gang.priority()
        : quotas.mayReclaim(gang, other, quotas.least(gang));
  }

  /** Whether nobody yields to a gang, as far as that is seen without looking at each. */
  boolean nobodyYields(GangRequest gang) {
    count();
    List<RunningGang> own = byQueue.getOrDefault(quotas.account(gang), List.of());
    return elastic.isEmpty()
        && (own.isEmpty() || own.getFirst().request().priority() >= gang.priority())
        && !quotas.mayReclaim(gang, quotas.least(gang));
  }

  /** Who ends for a gang if it is to. */
  Yielding yieldingTo(GangRequest gang) {
    count();
    Total least = quotas.least(gang);
    List<Long> more = Arrays.stream(quotas.beyondCharged(gang, least)).boxed().toList();
    Yielding known =
        yielding.computeIfAbsent(
            new Asker(gang.terms().queue(), gang.priority(), more),
            asker -> new Yielding(gang, quotas.reclaim(gang, least)));
    known.lookAgain();
    return known;
  }

  /** Those that end for gangs of one kind. */
  final class Yielding {

    private final GangRequest asker;
    private final Reclaim reclaim;
    private final Map<ClusterId, RunningGang> some = new LinkedHashMap<>();
    private final Map<Integer, Integer> priorities = new TreeMap<>();
    private final Map<ClusterId, RunningGang> reclaimed = new TreeMap<>();
    private final List<RunningGang> changed = new ArrayList<>();
    private int seen;

    private Yielding(GangRequest asker, Reclaim reclaim) {
      this.asker = asker;
      this.reclaim = reclaim;
      this.seen = gone.size();
      for (RunningGang gang : byQueue.getOrDefault(quotas.account(asker), List.of())) {
        if (gang.request().priority() >= asker.priority()) {
          break; // They are in the order of their priorities.
        }
        if (inOrder.containsKey(gang.id())) {
          add(gang);
        }
      }
      reclaimAnew();
    }

    private void lookAgain() {
      for (; seen < gone.size(); seen++) {
        remove(gone.get(seen));
        reclaimed.remove(gone.get(seen).id());
        reclaim.ended(gone.get(seen).id());
      }
      if (quotas.limited() && !reclaim.stands()) {
        reclaimAnew();
      }
    }

    private void reclaimAnew() {
      if (!quotas.limited()) {
        return;
      }
      List<RunningGang> others =
          reclaim.possible()
              ? inOrder.values().stream().filter(gang -> !quotas.sameQueue(asker, gang)).toList()
              : List.of();
      Map<ClusterId, RunningGang> then = new TreeMap<>();
      reclaim.among(others).forEach(gang -> then.put(gang.id(), gang));
      for (RunningGang gang : List.copyOf(reclaimed.values())) {
        if (!then.containsKey(gang.id())) {
          reclaimed.remove(gang.id());
          remove(gang);
        }
      }
      for (RunningGang gang : then.values()) {
        if (reclaimed.put(gang.id(), gang) == null) {
          add(gang);
        }
      }
    }

    private void add(RunningGang gang) {
      some.put(gang.id(), gang);
      priorities.merge(gang.request().priority(), 1, Integer::sum);
      changed.add(gang);
    }

    private void remove(RunningGang gang) {
      if (some.remove(gang.id()) != null) {
        priorities.computeIfPresent(gang.request().priority(), (p, n) -> n == 1 ? null : n - 1);
        changed.add(gang);
      }
    }

    boolean isEmpty() {
      return some.isEmpty();
    }

    /** The priorities of those that yield, the lowest first. */
    List<Integer> priorities() {
      return List.copyOf(priorities.keySet());
    }

    /** Those up to a priority, in the order of their identities. */
    Collection<RunningGang> upTo(int priority) {
      return some.values().stream()
          .filter(gang -> gang.request().priority() <= priority)
          .sorted(Comparator.comparing(RunningGang::id))
          .toList();
    }

    /** Whether a gang is one of those up to a priority. */
    boolean contains(RunningGang gang, int priority) {
      return gang.request().priority() <= priority && some.containsKey(gang.id());
    }

    /** Those that began or ceased to yield, in the order of that. */
    List<RunningGang> changed() {
      return changed;
    }
  }
}
