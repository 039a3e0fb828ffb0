// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * When waiting gangs will get their nodes: the planner itself, carried forward in virtual time.
 * Stateless.
 *
 * <p>Plan after plan is made and carried out, each at the next moment of which anything is known,
 * until the gangs asked about have their nodes. What is known:
 *
 * <ul>
 *   <li>A gang that runs ends when it is expected to, or right now when that time has passed by no
 *       more than the policy's {@code overdue}; one that is placed runs for its time limit. A gang
 *       without either never ends.
 *   <li>Who was told to end or to move leaves its nodes at once, or after a time that the caller
 *       states, and waits anew at its old place if it was ended for another.
 *   <li>The nodes of a launch are ready when the boot time of its offer has passed since it was
 *       decided; not before its deadline, it is late. Nobody else launches anything, and what is
 *       given back can be launched again in its zone.
 *   <li>Cool-downs, promises and idle times run out.
 *   <li>Nobody new arrives, no node is lost, none that is out of use comes back.
 * </ul>
 *
 * <p>Where a gang could start only after something of which no time is known, its start is unknown;
 * so it is when more plans than allowed would be needed.
 */
public final class Forecast {

  /** How many plans are made for a forecast at most, unless the caller says otherwise. */
  public static final int MOST_PLANS = 500;

  private Forecast() {}

  /** When a gang will get its nodes; empty when that is not known, or when it does not wait. */
  public static Optional<Instant> of(Snapshot snapshot, ClusterId gang) {
    return Optional.ofNullable(of(snapshot, List.of(gang), Duration.ZERO, MOST_PLANS).get(gang));
  }

  /**
   * When gangs will get their nodes, those of which it is known.
   *
   * @param gangs of whom it is asked
   * @param leaving how long those that are ended or moved for others take to leave their nodes
   * @param mostPlans after how many plans whoever has not started is unknown; 1 or more
   */
  public static Map<ClusterId, Instant> of(
      Snapshot snapshot, Collection<ClusterId> gangs, Duration leaving, int mostPlans) {
    if (mostPlans < 1 || leaving.isNegative()) {
      throw new IllegalArgumentException(
          "a forecast takes 1 plan or more and a time to leave of zero or more; received: %d, %s"
              .formatted(mostPlans, leaving));
    }
    Set<ClusterId> asked = new TreeSet<>();
    snapshot.waiting().stream()
        .map(GangRequest::id)
        .filter(new TreeSet<>(gangs)::contains)
        .forEach(asked::add);
    Map<ClusterId, Instant> starts = new TreeMap<>();
    VirtualPool pool = new VirtualPool(snapshot, leaving);
    for (int plans = 0; plans < mostPlans && !asked.isEmpty(); plans++) {
      Plan plan = pool.plan();
      for (Decision decision : plan.decisions()) {
        if (decision instanceof Decision.Place place && asked.remove(place.gang())) {
          starts.put(place.gang(), pool.now());
        } else if (decision instanceof Decision.Refuse refuse) {
          asked.remove(refuse.gang());
        }
      }
      pool.carryOut(plan);
      if (!pool.advance()) {
        break;
      }
    }
    return starts;
  }
}
