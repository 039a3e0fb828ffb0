// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Plans again and again over a pool that changes: gives what {@link Planner#plan} gives for the
 * same content, at the cost of what has changed. Not thread-safe.
 */
public final class Scheduler {

  private final Pool pool = new Pool();
  private final Census census = new Census();
  private final Map<NodeId, NodeView> nodes = new LinkedHashMap<>();
  private final Map<ClusterId, GangRequest> waiting = new LinkedHashMap<>();
  private final PlanPolicy policy;
  private List<LaunchView> launches = List.of();
  private List<Offer> offers = List.of();
  private List<CoolDown> coolDowns = List.of();
  private Optional<Plan> last = Optional.empty();
  private Instant lastFrom = Instant.MIN;
  private Instant lastUntil = Instant.MIN;

  /** A scheduler without nodes and gangs. */
  public Scheduler(PlanPolicy policy) {
    this.policy = policy;
  }

  /** A node is new or has changed. One that is as it was costs nothing. */
  public void node(NodeView node) {
    if (node.equals(nodes.put(node.id(), node))) {
      return;
    }
    pool.put(node);
    census.put(node);
    changed();
  }

  /** A node is gone. */
  public void forget(NodeId node) {
    if (nodes.remove(node) != null) {
      pool.remove(node);
      census.remove(node);
      changed();
    }
  }

  /** A gang has come; one that is known already keeps its turn. */
  public void waits(GangRequest gang) {
    if (!gang.equals(waiting.put(gang.id(), gang))) {
      changed();
    }
  }

  /** A gang waits no more. */
  public void served(ClusterId gang) {
    if (waiting.remove(gang) != null) {
      changed();
    }
  }

  /** What is being launched, what could be, and what may not be for a while. */
  public void capacity(List<LaunchView> underWay, List<Offer> offered, List<CoolDown> cooling) {
    if (!underWay.equals(launches) || !offered.equals(offers) || !cooling.equals(coolDowns)) {
      launches = List.copyOf(underWay);
      offers = List.copyOf(offered);
      coolDowns = List.copyOf(cooling);
      changed();
    }
  }

  private void changed() {
    last = Optional.empty();
  }

  /**
   * The plan at a time.
   *
   * @throws IllegalArgumentException when what it was told contradicts itself, naming the value
   */
  public Plan plan(Instant now) {
    if (last.isEmpty() || now.isBefore(lastFrom) || !now.isBefore(lastUntil)) {
      Snapshot snapshot =
          new Snapshot(
              now,
              List.of(),
              launches,
              offers,
              new ArrayList<>(waiting.values()),
              coolDowns,
              policy);
      last = Optional.of(Planner.plan(snapshot, pool, census));
      lastFrom = now;
      lastUntil = nextChange(now);
    }
    return last.get();
  }

  /** When time alone changes the plan: a cool-down ends, or a node has been idle long enough. */
  private Instant nextChange(Instant now) {
    Stream<Instant> ends = coolDowns.stream().map(CoolDown::until).filter(now::isBefore);
    Stream<Instant> idle =
        census.idleAfter(now.minus(policy.idleNodeTime())).stream()
            .map(since -> since.plus(policy.idleNodeTime()));
    return Stream.concat(ends, idle).min(Instant::compareTo).orElse(Instant.MAX);
  }
}
