// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.StartChange;
import dev.clustered.model.WaitReason;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What would have to be different for a gang to start now: the cheapest of the changes that are
 * tried. The planner itself is asked with each change made, so whatever is named holds, as long as
 * nothing else changes. Stateless.
 *
 * <p>What the owner of the gang can change comes before what only an operator can; of each, what
 * ends or moves nobody before what does. Of these what costs the work of the gang nothing comes
 * first, then what makes it slower, then what makes it smaller, then what makes it less safe, then
 * what asks for other nodes than it was made for, then what makes others wait longer:
 *
 * <ol>
 *   <li>a shorter time limit, the longest that is short enough to end before what is kept for
 *       others is needed; a minute or more
 *   <li>another queue, of those that have room for it the nearest in the tree, then the first by
 *       name
 *   <li>fewer spares, as many as there is room for
 *   <li>one domain of a level further out instead of the one that is required, the innermost that
 *       does; then one preferred instead of required
 *   <li>smaller blocks of one level, the largest of 2 ranks or more that do; then none of one level
 *   <li>fewer nodes of one role, as many as there is room for, or ranks that take less of theirs,
 *       as much as there is: whichever leaves more of the role, of equal ones fewer nodes; in both
 *       at least half. Ranks with RDMA are never made smaller, since they take whole nodes
 *   <li>more ranks in one domain than a spread allows, the fewest; then no spread; then no layout
 *       at all
 *   <li>a taint tolerated; an attribute not asked for; GPUs of any model; nodes of any shape; a
 *       lower RDMA rate, the highest that does; no RDMA; any backend
 *   <li>a higher priority, the lowest that suffices
 *   <li>fewer nodes than half
 *   <li>for an operator: nodes that are cordoned, then also those that are lost or faulty, in use
 *       again, as few as suffice
 *   <li>more quota for its queue, and for those around it, as much as it lacks
 *   <li>more of an offer, the fewest nodes that suffice, in the order in which offers are preferred
 *   <li>more free nodes of a shape in one domain, the fewest that suffice
 *   <li>moves of others that the policy does not allow
 *   <li>others of a lower priority made preemptible
 *   <li>the end of one other gang, the smallest, then the least important, then the newest
 * </ol>
 *
 * <p>What an operator would add is in part for gangs that go first: they are served before, and the
 * gang starts only if something is left. How much of it that is, is said.
 *
 * <p>A gang that comes already, because nodes are launched for it or others end for it, needs no
 * change; nor does one that starts.
 */
public final class Counterfactual {

  /** How many plans are made to find a change at most. */
  public static final int MOST_PLANS = 200;

  private Counterfactual() {}

  /**
   * The cheapest change with which a gang that waits or is refused would start now; empty when none
   * is found, or none is needed.
   *
   * @param gang one of the waiting gangs of the snapshot; no other has an answer
   */
  public static Optional<StartChange> of(Snapshot snapshot, ClusterId gang) {
    return of(snapshot, gang, Planner.plan(snapshot));
  }

  /** The same, when the plan for the snapshot is known. */
  static Optional<StartChange> of(Snapshot snapshot, ClusterId id, Plan plan) {
    Optional<GangRequest> gang =
        snapshot.waiting().stream().filter(one -> one.id().equals(id)).findFirst();
    if (gang.isEmpty() || !stays(plan, id)) {
      return Optional.empty();
    }
    Trials trials = new Trials(id, MOST_PLANS);
    return first(new OwnerChanges(snapshot, gang.get(), trials).from(plan))
        .or(() -> first(new OperatorChanges(snapshot, gang.get(), trials).all()));
  }

  /** Whether a gang neither starts nor comes. */
  private static boolean stays(Plan plan, ClusterId gang) {
    return plan.decisions().stream()
        .anyMatch(
            decision ->
                switch (decision) {
                  case Decision.Wait wait ->
                      wait.gang().equals(gang)
                          && wait.reasons().stream().noneMatch(Counterfactual::comes);
                  case Decision.Refuse refuse -> refuse.gang().equals(gang);
                  default -> false;
                });
  }

  private static boolean comes(WaitReason reason) {
    return reason instanceof WaitReason.LaunchInFlight
        || reason instanceof WaitReason.PartlyGranted
        || reason instanceof WaitReason.Draining;
  }

  /** The first that disturbs nobody, else the first of all. */
  private static Optional<StartChange> first(List<Supplier<Optional<StartChange>>> rules) {
    Optional<StartChange> second = Optional.empty();
    for (Supplier<Optional<StartChange>> rule : rules) {
      Optional<StartChange> found = rule.get();
      if (found.filter(one -> !one.disturbsOthers()).isPresent()) {
        return found;
      }
      second = second.or(() -> found);
    }
    return second;
  }
}
