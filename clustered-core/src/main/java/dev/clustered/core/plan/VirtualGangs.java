// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The gangs that have nodes in a {@link VirtualPool}, and what plans do to them. Not thread-safe.
 */
final class VirtualGangs {

  private final Scheduler scheduler;
  private final Map<ClusterId, RunningGang> running = new TreeMap<>();
  private final Set<ClusterId> requeued = new TreeSet<>();

  VirtualGangs(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  Collection<RunningGang> running() {
    return running.values();
  }

  void put(RunningGang gang) {
    running.put(gang.id(), gang);
    scheduler.runs(gang);
  }

  private RunningGang gang(ClusterId id) {
    return Objects.requireNonNull(running.get(id), () -> "no gang " + id + " runs");
  }

  /** A gang that waited gets its nodes. */
  void place(GangRequest gang, Decision.Place place, Instant now) {
    put(CarriedOut.placed(gang, place, node -> scheduler.node(node).shape(), now));
  }

  /** A gang was told to end for another. */
  void endsFor(ClusterId id, ClusterId other) {
    put(gang(id).endingFor(other));
  }

  /** A gang that cannot go on was told to end, to wait anew. */
  void requeue(ClusterId id) {
    put(gang(id).withPhase(RunningGang.Phase.ENDING));
    requeued.add(id);
  }

  /** Ranks of a gang were told to go. */
  void leave(Decision.Shrink shrink) {
    put(CarriedOut.shrunk(gang(shrink.gang()), shrink));
  }

  /** A rank is on its new node, and still holds the old one. */
  void move(Decision.Move move) {
    put(CarriedOut.moved(gang(move.gang()), move));
  }

  /** A gang gets other nodes for lost ones. */
  void replace(Decision.Replace replace) {
    put(CarriedOut.replaced(gang(replace.gang()), replace));
  }

  /** A gang goes on with some of its ranks. */
  void keepOnly(Decision.Resize resize) {
    put(CarriedOut.resized(gang(resize.gang()), resize));
  }

  /** A gang has more ranks and spares. */
  void grow(Decision.Grow grow) {
    put(CarriedOut.grown(gang(grow.gang()), grow, node -> scheduler.node(node).shape()));
  }

  /** Nodes have come that were launched for a gang: the spares that it lacks are among them. */
  void bring(LaunchView launch) {
    ClusterId id = launch.gang();
    List<Assignment> spares =
        scheduler.nodes().stream()
            .filter(node -> node.launch().equals(launch.id()) && node.empty())
            .limit(running.containsKey(id) && gang(id).works() ? gang(id).lackingSpares() : 0)
            .map(node -> new Assignment(node.id(), gpus(id, node)))
            .toList();
    if (!spares.isEmpty()) {
      grow(new Decision.Grow(id, List.of(), spares));
    }
  }

  private List<Integer> gpus(ClusterId id, NodeView node) {
    return node.freeGpus().subList(0, gang(id).request().need().takes(node.shape()).gpus());
  }

  /** A gang has ended, and its nodes are free. */
  void ended(ClusterId id, Instant at) {
    running.remove(id);
    scheduler.ended(id, at);
  }

  /**
   * Whoever was told to go has gone: the whole gang, or some of its ranks.
   *
   * @return what waits again, if the gang was ended for another or could not go on
   */
  Optional<GangRequest> left(ClusterId id, Instant at) {
    RunningGang gang = gang(id);
    if (gang.phase() == RunningGang.Phase.ENDING) {
      ended(id, at);
      return gang.endsFor().isPresent() || requeued.remove(id)
          ? Optional.of(gang.request())
          : Optional.empty();
    }
    put(CarriedOut.left(gang));
    return Optional.empty();
  }

  /** What queues have used when nobody but these gangs has had anything until a time. */
  List<QueueUse> uses(List<QueueUse> before, Instant until, Duration halfLife) {
    List<QueueUse> uses = new ArrayList<>();
    for (QueueUse use : before) {
      Resources held = Resources.NONE;
      for (RunningGang gang : running.values()) {
        if (gang.request().terms().queue().equals(use.queue())) {
          for (Holding holding : Tenants.holdings(gang)) {
            held = held.plus(holding.takes());
          }
        }
      }
      uses.add(use.after(held, Duration.between(use.at(), until), halfLife));
    }
    return uses;
  }
}
