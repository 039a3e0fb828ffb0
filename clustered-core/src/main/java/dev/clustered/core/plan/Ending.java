// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What comes free already: of gangs that end, and of ranks that were given up. Most of it is
 * promised to the gang for which they end, so what is left over of each node is kept up as more end
 * and more is promised. Not thread-safe.
 */
final class Ending {

  private final Pool pool;
  private final Tenants tenants;
  private final Reservations reservations;
  private final Set<ClusterId> gangs = new TreeSet<>();
  private final Map<ClusterId, Set<Integer>> givenUp = new TreeMap<>();
  private final Map<NodeId, OfNode> byNode = new TreeMap<>();
  private final Set<NodeId> leftOver = new TreeSet<>();

  /** What is owed of nodes beyond what comes free of them already. */
  private final Owed owed;

  private final List<NodeId> touched = new ArrayList<>();
  private int promisesSeen;
  private int seen;

  /** What comes free of one node, in the order in which it is counted. */
  private static final class OfNode {
    final Map<ClusterId, List<Holding>> ofGangs = new TreeMap<>();
    final List<Holding> ofRanks = new ArrayList<>();
    final List<Rest> rests = new ArrayList<>();

    List<Holding> all() {
      List<Holding> all = new ArrayList<>();
      ofGangs.values().forEach(all::addAll);
      all.addAll(ofRanks);
      return all;
    }
  }

  /** What nobody was promised of something that comes free. */
  private record Rest(Holding holding, boolean leaves) {}

  /** What comes free without this plan. */
  Ending(Pool pool, Tenants tenants, Reservations reservations) {
    this.pool = pool;
    this.tenants = tenants;
    this.reservations = reservations;
    this.owed = reservations.owed().copy();
    for (RunningGang gang : tenants.leaving()) {
      if (gang.phase() == RunningGang.Phase.ENDING) {
        ends(gang.id());
      } else {
        gang.members().stream().filter(Member::leaving).forEach(this::leaves);
      }
    }
  }

  /** An elastic gang gives up some ranks. */
  void givesUp(Surplus.Unit unit) {
    Set<Integer> ranks = givenUp.computeIfAbsent(unit.gang().id(), gang -> new TreeSet<>());
    for (Member member : unit.members()) {
      ranks.add(member.rank());
      leaves(member);
    }
  }

  /** Whether this plan has a gang give up a rank. */
  boolean givenUp(ClusterId gang, Member member) {
    return givenUp.getOrDefault(gang, Collections.emptySet()).contains(member.rank());
  }

  /** A gang ends. */
  void ends(ClusterId id) {
    if (gangs.add(id)) {
      for (Holding held : tenants.find(id).map(Tenants::holdings).orElse(List.of())) {
        OfNode node = byNode.computeIfAbsent(held.node(), n -> new OfNode());
        node.ofGangs.computeIfAbsent(id, n -> new ArrayList<>()).add(held);
        touched.add(held.node());
      }
    }
  }

  /** A rank leaves its node, while its gang goes on. */
  void leaves(Member member) {
    NodeId node = member.at().node();
    byNode.computeIfAbsent(node, n -> new OfNode()).ofRanks.add(member.at());
    touched.add(node);
  }

  /** Whether a gang ends. */
  boolean contains(ClusterId gang) {
    return gangs.contains(gang);
  }

  /** How many gangs end. */
  int count() {
    return gangs.size();
  }

  /** Whether nothing comes free. */
  boolean isEmpty() {
    return gangs.isEmpty() && byNode.isEmpty();
  }

  /** The nodes of which more comes free, or more or less is promised, in the order of that. */
  List<NodeId> touched() {
    lookAgain();
    return touched;
  }

  /** What is owed of nodes beyond what comes free of them already; not to be changed. */
  Owed owed() {
    lookAgain();
    return owed;
  }

  /** Whether anything that comes free is left over. */
  boolean leavesAny() {
    lookAgain();
    return !leftOver.isEmpty();
  }

  /** Frees in the pool what is left over. */
  void free() {
    lookAgain();
    leftOver.forEach(this::freeOn);
  }

  /** Frees in the pool what is left over of one node. */
  void freeOn(NodeId node) {
    lookAgain();
    if (leftOver.contains(node)) {
      byNode
          .getOrDefault(node, new OfNode())
          .rests
          .forEach(r -> pool.give(r.holding(), r.leaves()));
    }
  }

  private void lookAgain() {
    List<NodeId> promised = reservations.owedAnew();
    touched.addAll(promised.subList(promisesSeen, promised.size()));
    promisesSeen = promised.size();
    for (; seen < touched.size(); seen++) {
      NodeId node = touched.get(seen);
      OfNode ends = byNode.get(node);
      if (ends != null) {
        lookAgain(node, ends);
      }
    }
  }

  private void lookAgain(NodeId node, OfNode ends) {
    Owed left = reservations.owed().copy();
    ends.rests.clear();
    for (Holding held : ends.all()) {
      Holding rest = left.rest(held);
      boolean leaves = rest.equals(held);
      if (leaves || !Owed.nothing(rest.takes())) {
        ends.rests.add(new Rest(rest, leaves));
      }
    }
    owed.put(node, left.of(node).orElse(Resources.NONE));
    if (ends.rests.isEmpty()) {
      leftOver.remove(node);
    } else {
      leftOver.add(node);
    }
  }
}
