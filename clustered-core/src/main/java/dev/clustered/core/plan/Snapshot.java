// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Everything that a plan depends on. The order of the lists does not matter but for {@code
 * waiting}, which is in the order of arrival. Immutable and thread-safe.
 *
 * @param nodes every node that the engine holds, whatever its health
 * @param offers what could be launched; asked of the backends after the last change of {@code
 *     nodes}, because what an ended node gave back decides between waiting and refusing
 * @param running every gang that has nodes; what they hold is not free in {@code nodes}
 * @param uses what the queues have used so far
 */
public record Snapshot(
    Instant now,
    List<NodeView> nodes,
    List<LaunchView> launches,
    List<Offer> offers,
    List<GangRequest> waiting,
    List<CoolDown> coolDowns,
    PlanPolicy policy,
    List<RunningGang> running,
    List<QueueUse> uses) {

  public Snapshot {
    running = List.copyOf(running);
    uses = List.copyOf(uses);
    Snapshot.<RunningGang, ClusterId>requireDistinct("running gang", running, RunningGang::id);
    Snapshot.<QueueUse, String>requireDistinct("use of queue", uses, QueueUse::queue);
    nodes = List.copyOf(nodes);
    launches = List.copyOf(launches);
    offers = List.copyOf(offers);
    waiting = List.copyOf(waiting);
    coolDowns = List.copyOf(coolDowns);
    Snapshot.<NodeView, NodeId>requireDistinct("node", nodes, NodeView::id);
    Snapshot.<LaunchView, LaunchId>requireDistinct("launch", launches, LaunchView::id);
    Snapshot.<GangRequest, ClusterId>requireDistinct("waiting gang", waiting, GangRequest::id);
    requireApart(running, waiting);
    requireOneOrder(nodes);
  }

  /** Levels lie in one another the same way on all nodes of a backend. */
  private static void requireOneOrder(List<NodeView> nodes) {
    LevelOrder order = new LevelOrder();
    for (NodeView node : nodes) {
      order
          .add(node.id(), node.backend(), node.topology())
          .ifPresent(
              otherwise -> {
                throw new IllegalArgumentException(
                    "%s; received: %s".formatted(otherwise, node.topology()));
              });
    }
  }

  private static void requireApart(List<RunningGang> running, List<GangRequest> waiting) {
    Set<ClusterId> waits = new LinkedHashSet<>();
    waiting.forEach(gang -> waits.add(gang.id()));
    for (RunningGang gang : running) {
      if (gang.works() && waits.contains(gang.id())) {
        throw new IllegalArgumentException(
            "the gang %s runs and waits; only one that ends may wait anew".formatted(gang.id()));
      }
    }
  }

  /** A snapshot in which nothing is known of the gangs that run. */
  public Snapshot(
      Instant now,
      List<NodeView> nodes,
      List<LaunchView> launches,
      List<Offer> offers,
      List<GangRequest> waiting,
      List<CoolDown> coolDowns,
      PlanPolicy policy) {
    this(now, nodes, launches, offers, waiting, coolDowns, policy, List.of(), List.of());
  }

  /** The same with other nodes. */
  Snapshot withNodes(List<NodeView> others) {
    return new Snapshot(now, others, launches, offers, waiting, coolDowns, policy, running, uses);
  }

  /** The same with other offers. */
  Snapshot withOffers(List<Offer> others) {
    return new Snapshot(now, nodes, launches, others, waiting, coolDowns, policy, running, uses);
  }

  /** The same with other running gangs. */
  Snapshot withRunning(List<RunningGang> others) {
    return new Snapshot(now, nodes, launches, offers, waiting, coolDowns, policy, others, uses);
  }

  /** The same with another policy. */
  Snapshot withPolicy(PlanPolicy other) {
    return new Snapshot(now, nodes, launches, offers, waiting, coolDowns, other, running, uses);
  }

  /** The same, but one of the waiting gangs asks for something else. */
  Snapshot withWaiting(GangRequest other) {
    List<GangRequest> others = new ArrayList<>(waiting);
    others.replaceAll(gang -> gang.id().equals(other.id()) ? other : gang);
    return new Snapshot(now, nodes, launches, offers, others, coolDowns, policy, running, uses);
  }

  private static <T, I extends Comparable<I>> void requireDistinct(
      String what, List<T> values, Function<T, I> id) {
    Set<I> seen = new LinkedHashSet<>();
    for (T value : values) {
      if (!seen.add(id.apply(value))) {
        throw new IllegalArgumentException("the " + what + " " + id.apply(value) + " stands twice");
      }
    }
  }
}
