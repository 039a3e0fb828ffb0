// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Plans for snapshots that are nearly the same, one after the other, as far as one gang goes: what
 * does not change from one to the next is counted once, and nobody is served after that gang. Not
 * thread-safe.
 */
final class Rehearsal {

  private final ClusterId gang;
  private final Pool pool = new Pool();
  private final Census census = new Census();
  private Waiting waiting = new Waiting();
  private List<NodeView> nodes = List.of();
  private List<RunningGang> running = List.of();
  private List<GangRequest> gangs = List.of();

  Rehearsal(ClusterId gang) {
    this.gang = gang;
  }

  /** What a plan for a snapshot does up to the gang, and for it: the same as {@link Planner}. */
  List<Decision> plan(Snapshot snapshot) {
    become(snapshot);
    Accounts accounts = new Accounts(snapshot.policy().queues());
    return Planner.plan(snapshot, pool, census, waiting, accounts, Optional.of(gang)).decisions();
  }

  private void become(Snapshot snapshot) {
    Changes<NodeId, NodeView> ofNodes = changes(nodes, snapshot.nodes(), NodeView::id);
    Changes<ClusterId, RunningGang> ofRunning =
        changes(running, snapshot.running(), RunningGang::id);
    ofRunning.gone().forEach(census::remove);
    ofNodes.gone().forEach(pool::remove);
    ofNodes.gone().forEach(census::remove);
    ofNodes.other().forEach(pool::put);
    ofNodes.other().forEach(census::put);
    ofRunning.other().forEach(census::put);
    if (ids(gangs).equals(ids(snapshot.waiting()))) {
      changes(gangs, snapshot.waiting(), GangRequest::id).other().forEach(waiting::put);
    } else {
      waiting = Waiting.of(snapshot.waiting());
    }
    nodes = snapshot.nodes();
    running = snapshot.running();
    gangs = snapshot.waiting();
  }

  private static List<ClusterId> ids(List<GangRequest> gangs) {
    return gangs.stream().map(GangRequest::id).toList();
  }

  /** What there is no more, and what is new or has become another. */
  private record Changes<I, T>(List<I> gone, List<T> other) {}

  private static <I, T> Changes<I, T> changes(List<T> before, List<T> now, Function<T, I> id) {
    Map<I, T> known = new LinkedHashMap<>();
    before.forEach(one -> known.put(id.apply(one), one));
    List<T> other = new ArrayList<>();
    for (T one : now) {
      T old = known.remove(id.apply(one));
      if (!one.equals(old)) {
        other.add(one);
      }
    }
    return new Changes<>(List.copyOf(known.keySet()), other);
  }
}
