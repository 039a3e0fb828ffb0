// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Charges.Charge;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Shape;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.Arrays;
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
  private final Charges charges = new Charges();
  private final Map<ClusterId, RunningGang> running = new LinkedHashMap<>();

  /** What is charged before the plan, of a snapshot with its nodes. */
  Quotas(QueueTree tree, Snapshot snapshot) {
    this(tree, snapshot, census(snapshot), Waiting.of(snapshot.waiting()));
  }

  /** What is charged before the plan; nodes and gangs of the snapshot are not read. */
  Quotas(QueueTree tree, Snapshot snapshot, Census census, Waiting waiting) {
    limited = !tree.queues().isEmpty();
    accounts = new Accounts(tree);
    measure = accounts.measure();
    shapes = new Shapes(census, limited ? snapshot.offers() : List.of());
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
        charge(gang.request(), shapes.of(gang));
      }
    }
  }

  /** Whether there are queues at all. */
  boolean limited() {
    return limited;
  }

  /** What a gang takes at least, as far as the shapes that there are tell. */
  Total least(GangRequest gang) {
    return limited ? shapes.least(gang) : Total.NONE;
  }

  /** Why the queue of a gang could never have so much, whatever ends. */
  Optional<Refuse> never(GangRequest gang, Total least) {
    String queue = gang.terms().queue();
    if (!queue.isEmpty() && !accounts.knows(queue)) {
      return Optional.of(
          new Refuse(
              gang.id(),
              ErrorCode.INVALID_SPEC,
              "the queue %s of gang %s is unknown; there are: %s"
                  .formatted(
                      queue,
                      gang.id(),
                      limited ? QueueTree.some(accounts.names()) : "none but the root")));
    }
    if (!limited) {
      return Optional.empty();
    }
    Account account = accounts.leaf(queue);
    long[] asked = measure.of(least);
    for (int i = asked.length - 1; i >= 0; i--) { // GPUs first: they are what people ask about.
      if (asked[i] > account.most(i)) {
        return Optional.of(
            new Refuse(
                gang.id(),
                ErrorCode.CANNOT_EVER_FIT,
                "gang %s asks %s; %s can never have more than %s, of which it owns %s; ask for less or give it a larger share"
                    .formatted(
                        gang.id(),
                        measure.inWords(i, asked[i]),
                        queue.isEmpty() ? "the root of all queues" : "its queue " + queue,
                        measure.inWords(i, account.most(i)),
                        measure.inWords(i, account.nominal(i)))));
      }
    }
    return Optional.empty();
  }

  /**
   * Why the queue of a gang cannot have so much now.
   *
   * @param demand what the gang would have in all; what it is charged already is part of that
   */
  Optional<WaitReason> refuses(GangRequest gang, Total demand) {
    return limited ? full(gang, demand).map(Full::reason) : Optional.empty();
  }

  private Optional<Full> full(GangRequest gang, Total demand) {
    Account account = accounts.leaf(gang.terms().queue());
    long[] more = more(gang, demand);
    for (int i = more.length - 1; i >= 0; i--) {
      Account full = account.full(i, more[i]);
      if (full != null) {
        return Optional.of(new Full(full, reason(full, more, i)));
      }
    }
    return Optional.empty();
  }

  private WaitReason reason(Account full, long[] more, int amount) {
    long[] held = measure.nothing();
    long[] limit = measure.nothing();
    for (int i = 0; i < held.length; i++) {
      held[i] = full.held(i);
      limit[i] = full.limit(i);
    }
    int gpus = Math.max(amount, Measure.GPUS);
    return new WaitReason.QueueLimit(
        full.queue(),
        measure.resources(more, gpus),
        measure.resources(held, gpus),
        measure.resources(limit, gpus));
  }

  /** Whether the queue of a gang may have the least of it in a site now. */
  boolean allow(GangRequest gang, Site site) {
    return !limited || refuses(gang, shapes.at(gang.atMinimum(), site)).isEmpty();
  }

  /** Whether the queue of a gang may have what it is placed on. */
  boolean allow(GangRequest gang, Placement placed) {
    return !limited || refuses(gang, shapes.of(placed.roles(), placed.nodes())).isEmpty();
  }

  /** Whether the queue of a gang may have what would be launched for it. */
  boolean allow(GangRequest gang, List<Decision.Launch> launches) {
    return !limited || refuses(gang, launched(gang, launches)).isEmpty();
  }

  private static Total launched(GangRequest gang, List<Decision.Launch> launches) {
    Map<Shape, Integer> nodes = new LinkedHashMap<>();
    launches.forEach(l -> nodes.merge(l.offer().shape(), l.nodes(), Integer::sum));
    return Shapes.of(gang, nodes);
  }

  /** Charges a gang with what is launched for it. */
  void charge(GangRequest gang, List<Decision.Launch> launches) {
    if (limited && !launches.isEmpty()) {
      charge(gang, launched(gang, launches));
    }
  }

  /**
   * Why a gang can have none of some sites as far as its queue goes: refused when that can never
   * change.
   */
  Optional<Denial> denies(GangRequest gang, Set<Site> sites) {
    Optional<Refuse> never = never(gang, Total.NONE);
    Optional<WaitReason> full = Optional.empty();
    List<Account> accounts = new ArrayList<>();
    for (Site site : limited ? sites : Collections.<Site>emptySet()) {
      Total demand = shapes.at(gang.atMinimum(), site);
      Optional<Refuse> neverThere = never(gang, demand);
      Optional<Full> fullThere = full(gang, demand);
      if (neverThere.isEmpty() && fullThere.isEmpty()) {
        return Optional.empty();
      }
      never = never.or(() -> neverThere);
      if (neverThere.isEmpty()) {
        full = full.or(() -> fullThere.map(Full::reason));
        fullThere.map(Full::account).ifPresent(accounts::add);
      }
    }
    Optional<Decision> waits =
        full.map(reason -> new Decision.Wait(gang.id(), List.of(reason), Optional.empty()));
    Optional<? extends Decision> denied = waits.isPresent() ? waits : never;
    return denied.map(decision -> new Denial(decision, accounts));
  }

  /**
   * What a queue denies a gang.
   *
   * @param decision that it waits, or why it always would
   * @param full the queues that have to give something back before it can be otherwise
   */
  record Denial(Decision decision, List<Account> full) {}

  /** A queue that can have no more. */
  private record Full(Account account, WaitReason reason) {}

  /** What a demand adds to what the gang is charged already. */
  private long[] more(GangRequest gang, Total demand) {
    long[] more = measure.of(demand);
    Charge charge = charges.of(gang.id());
    if (charge != null) {
      for (int i = 0; i < more.length; i++) {
        more[i] -= charge.amounts[i];
      }
    }
    return more;
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
    Account account = accounts.leaf(gang.terms().queue());
    return limited && !account.owns(more(gang, demand), account);
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
    return new Reclaim(charges, accounts.leaf(gang.terms().queue()), more(gang, demand));
  }

  /** Whether a gang may end another of another queue, whatever their priorities. */
  boolean mayReclaim(GangRequest gang, RunningGang victim, Total demand) {
    return limited && reclaim(gang, demand).may(victim.id());
  }

  /** What a demand adds to what a gang is charged already, amount by amount. */
  List<Long> beyondCharged(GangRequest gang, Total demand) {
    return Arrays.stream(more(gang, demand)).boxed().toList();
  }

  Accounts accounts() {
    return accounts;
  }

  /** The accounts that were charged or given back to since this was asked last. */
  List<Account> touched() {
    return charges.touched();
  }
}
