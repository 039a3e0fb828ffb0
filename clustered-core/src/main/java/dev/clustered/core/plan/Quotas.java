// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Charges.Charge;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Shape;
import dev.clustered.model.WaitReason;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the queues have used in a plan, and who may have more.
 *
 * <ol>
 *   <li><b>What is charged</b> is what all ranks and spares of a gang take, once: of a gang that
 *       runs what it really holds, without ranks that it gives up already; of one whose launch is
 *       under way what it will take of it; of one with a claim what it was promised, and those that
 *       end for it are not charged any more; and what a plan admits.
 *   <li><b>Available</b> to a queue is what it owns and does not use, and what it may borrow: what
 *       the queues around it own, lend and do not use. At each level no more is used than the queue
 *       owns and may borrow, and in all no more than the root owns.
 *   <li><b>Never.</b> A gang whose queue could not have so much even if all others were idle is
 *       refused, as is one of a queue that does not exist.
 *   <li><b>Reclaim.</b> A gang may end another of another queue when with it its queue, or a queue
 *       around that but not around the other, has no more than it owns of anything that the gang
 *       takes, while the other's queue and each queue around it up to the first that both are in
 *       has more than it owns of one of these things. So what a queue owns it can always have back,
 *       and nobody whose gang was ended so may end the one that it was ended for.
 * </ol>
 *
 * <p>A gang of a queue that is gone is charged to the root. Without queues nothing is counted. Not
 * thread-safe.
 */
final class Quotas {

  private final boolean limited;
  private final Accounts accounts;
  private final Measure measure;
  private final Shapes shapes;
  private final Waiting waiting;
  private final Charges charges;
  private final Limits limits;
  private final Map<ClusterId, RunningGang> running = new LinkedHashMap<>();

  /** What is charged before the plan, of a snapshot with its nodes. */
  Quotas(QueueTree tree, Snapshot snapshot) {
    this(tree, new Accounts(tree), snapshot, census(snapshot), Waiting.of(snapshot.waiting()));
  }

  /**
   * What is charged before the plan; nodes and gangs of the snapshot are not read.
   *
   * @param accounts those of the tree, whatever is charged to them
   */
  Quotas(QueueTree tree, Accounts accounts, Snapshot snapshot, Census census, Waiting waiting) {
    limited = !tree.queues().isEmpty();
    this.accounts = accounts;
    accounts.clear();
    this.waiting = waiting;
    measure = accounts.measure();
    charges = new Charges();
    shapes = new Shapes(census, limited ? snapshot.offers() : List.of());
    limits = new Limits(limited, accounts, shapes, charges);
    if (limited) {
      chargeAll(snapshot, waiting, census.tenants().all());
      snapshot.uses().stream()
          .sorted(Comparator.comparing(QueueUse::queue))
          .map(use -> use.at(snapshot.now(), tree.halfLife()))
          .forEach(use -> accounts.addPast(use, QueueUse.full(tree.halfLife())));
    }
  }

  private static Census census(Snapshot snapshot) {
    Census census = new Census();
    snapshot.nodes().forEach(census::put);
    snapshot.running().forEach(census::put);
    return census;
  }

  private void chargeAll(Snapshot snapshot, Waiting waiting, Collection<RunningGang> tenants) {
    Map<ClusterId, Map<Shape, Integer>> launched = new TreeMap<>();
    snapshot.launches().stream()
        .sorted(Comparator.comparing(LaunchView::id))
        .forEach(
            launch ->
                launched
                    .computeIfAbsent(launch.gang(), gang -> new LinkedHashMap<>())
                    .merge(launch.offer().shape(), launch.nodes(), Integer::sum));
    launched.forEach(
        (id, nodes) ->
            waiting
                .find(id)
                .map(Waiting.Arrival::gang)
                .ifPresent(gang -> charge(gang, Shapes.of(gang, nodes))));
    Map<ClusterId, GangRequest> promised = new TreeMap<>();
    for (GangRequest gang : waiting.promised()) {
      Optional<Claim> claim = gang.claim().filter(c -> snapshot.now().isBefore(c.until()));
      if (claim.isPresent() && !launched.containsKey(gang.id())) {
        charge(gang, shapes.of(gang, claim.get()));
        promised.put(gang.id(), gang);
      }
    }
    for (RunningGang gang : tenants) {
      running.put(gang.id(), gang);
      boolean succeeded =
          gang.phase() == RunningGang.Phase.ENDING
              && gang.endsFor().filter(promised::containsKey).isPresent();
      if (!succeeded) {
        Map<Shape, Integer> more = launched.getOrDefault(gang.id(), Collections.emptyMap());
        charge(gang.request(), shapes.of(gang).plus(Shapes.spares(gang, more)));
      }
    }
  }

  /** Whether there are queues at all. */
  boolean limited() {
    return limited;
  }

  /** What a gang takes at least, as far as the shapes that there are tell. */
  Total least(GangRequest gang) {
    return limited ? shapes.least(gang, kind(gang)) : Total.NONE;
  }

  /** The same of a gang that waits. */
  Total least(Waiting.Arrival gang) {
    return limited ? shapes.least(gang.gang(), gang.group().like().kind()) : Total.NONE;
  }

  private Kind kind(GangRequest gang) {
    return waiting.like(gang).kind();
  }

  /** Why the queue of a gang could never have so much, whatever ends. */
  Optional<Refuse> never(GangRequest gang, Total least) {
    return limits.never(gang, least);
  }

  /**
   * Why the queue of a gang cannot have so much now.
   *
   * @param demand what the gang would have in all; what it is charged already is part of that
   */
  Optional<WaitReason> refuses(GangRequest gang, Total demand) {
    return limits.refuses(gang, demand);
  }

  /**
   * Why a gang can have none of some sites as far as its queue goes: refused when that can never
   * change.
   */
  Optional<Limits.Denial> denies(GangRequest gang, Set<Site> sites) {
    return limits.denies(gang, kind(gang), sites);
  }

  /** Whether the queue of a gang may have the least of it in a site now. */
  boolean allow(GangRequest gang, Site site) {
    return !limited || limits.allow(gang, shapes.at(gang, kind(gang), site));
  }

  /** Whether the queue of a gang may have what it is placed on. */
  boolean allow(GangRequest gang, Placement placed) {
    return !limited || limits.allow(gang, shapes.of(placed.roles(), placed.nodes()));
  }

  /** Whether the queue of a gang may have what would be launched for it. */
  boolean allow(GangRequest gang, List<Decision.Launch> launches) {
    return !limited || limits.allow(gang, launched(gang, launches));
  }

  private static Total launched(GangRequest gang, List<Decision.Launch> launches) {
    Map<Shape, Integer> nodes = new LinkedHashMap<>();
    launches.forEach(l -> nodes.merge(l.offer().shape(), l.nodes(), Integer::sum));
    return Shapes.of(gang, nodes);
  }

  /** Whether the queue of a gang that runs may have what it would then hold, and this too. */
  boolean allow(RunningGang gang, Total more) {
    return !limited || limits.allow(gang.request(), shapes.of(gang).plus(more));
  }

  /** Charges a gang that runs with what it then holds, and with this too. */
  void charge(RunningGang gang, Total more) {
    if (limited) {
      charge(gang.request(), shapes.of(gang).plus(more));
    }
  }

  /** Charges a gang with what is launched for it. */
  void charge(GangRequest gang, List<Decision.Launch> launches) {
    if (limited && !launches.isEmpty()) {
      charge(gang, launched(gang, launches));
    }
  }

  /** Charges a gang with what it has in all, instead of what it was charged before. */
  void charge(GangRequest gang, Total demand) {
    if (limited) {
      Account account = accounts.leaf(gang.terms().queue());
      charges.set(gang.id(), new Charge(account, measure.of(demand)));
    }
  }

  /**
   * Charges a gang with the nodes that a plan has decided it gets, and gives back what those have
   * that end for it.
   */
  void charge(GangRequest gang, Decision admitted) {
    if (!limited) {
      return;
    }
    switch (admitted) {
      case Decision.Place place -> {
        Placement placed = new Placement(place.assignments(), place.spares(), place.roles());
        charge(gang, shapes.of(place.roles(), placed.nodes()));
      }
      case Decision.Preempt preempt -> {
        preempt.victims().forEach(victim -> charges.set(victim, null));
        preempt.shrinks().forEach(this::giveBack);
        charge(gang, shapes.of(gang, preempt.claim()));
      }
      case Decision.Migrate migrate -> charge(gang, shapes.of(gang, migrate.claim()));
      default -> {}
    }
  }

  private void giveBack(Decision.Shrink shrink) {
    RunningGang gang = running.get(shrink.gang());
    if (gang != null) {
      giveBack(gang, new TreeSet<>(shrink.ranks()));
    }
  }

  /** Gives back what a gang is charged; nothing when it is charged nothing. */
  void giveBack(RunningGang gang) {
    if (limited) {
      charges.set(gang.id(), null);
    }
  }

  /** Gives back what some ranks of a gang are charged. */
  void giveBack(RunningGang gang, Set<Integer> ranks) {
    if (limited && charges.of(gang.id()) != null) {
      List<Member> rest = gang.members().stream().filter(m -> !ranks.contains(m.rank())).toList();
      RunningGang smaller =
          new RunningGang(
              gang.request(),
              rest,
              gang.spares(),
              gang.startedAt(),
              gang.expectedEnd(),
              gang.phase(),
              gang.endsFor());
      charge(gang.request(), shapes.of(smaller));
    }
  }

  /** Where the charges of a plan stand now. */
  int mark() {
    return charges.mark();
  }

  /** Takes back what was charged and given back since a mark. */
  void backTo(int mark) {
    charges.backTo(mark);
  }

  /** Whether a gang's queue would have more than it owns with so much in all for the gang. */
  boolean borrows(GangRequest gang, Total demand) {
    return limited && borrows(accounts.leaf(gang.terms().queue()), gang, demand);
  }

  /**
   * The same of a queue that is known already.
   *
   * @param account that of the gang's queue
   */
  boolean borrows(Account account, GangRequest gang, Total demand) {
    return !account.owns(charges.beyond(gang.id(), measure.of(demand)), account);
  }

  /**
   * Whether a gang may end another by its priority alone: when both are of one queue, or there are
   * no queues.
   */
  boolean sameQueue(GangRequest gang, RunningGang other) {
    return account(gang) == account(other.request());
  }

  /** Where a gang is charged; without queues that is one for all. */
  Account account(GangRequest gang) {
    return limited ? accounts.leaf(gang.terms().queue()) : accounts.root();
  }

  /**
   * Whom a gang may end for its share.
   *
   * @param demand what the gang would have in all
   */
  Reclaim reclaim(GangRequest gang, Total demand) {
    return new Reclaim(
        charges,
        accounts.leaf(gang.terms().queue()),
        charges.beyond(gang.id(), measure.of(demand)));
  }

  /** Whether a gang's queue owns enough that the gang might end others for its share. */
  boolean mayReclaim(GangRequest gang, Total demand) {
    return limited
        && Reclaim.possible(account(gang), charges.beyond(gang.id(), measure.of(demand)));
  }

  /** Whether a gang may end another of another queue, whatever their priorities. */
  boolean mayReclaim(GangRequest gang, RunningGang victim, Total demand) {
    return limited && reclaim(gang, demand).may(victim.id());
  }

  /** What a demand adds to what a gang is charged already, amount by amount. */
  long[] beyondCharged(GangRequest gang, Total demand) {
    return charges.beyond(gang.id(), measure.of(demand));
  }

  Accounts accounts() {
    return accounts;
  }

  /** The accounts that were charged or given back to since this was asked last. */
  List<Account> touched() {
    return charges.touched();
  }
}
