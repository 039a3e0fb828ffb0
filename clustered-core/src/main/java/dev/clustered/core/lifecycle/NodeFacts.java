// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.ClusterLife.Spare;
import dev.clustered.core.lifecycle.RankLife.Next;
import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterNotice;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import dev.clustered.model.RestartCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What nodes that come, report and are lost make of a cluster. Stateless. */
final class NodeFacts {

  private NodeFacts() {}

  /** It has nodes: those of its ranks in rank order, then its spares. */
  static void assign(Turn turn, List<Fact.Slot> slots) {
    int size = slots.size() - turn.life().request().spec().spares();
    List<RankLife> ranks = new ArrayList<>();
    for (Fact.Slot slot : slots.subList(0, size)) {
      ranks.add(RankLife.assigned(ranks.size(), slot));
    }
    List<Spare> spares =
        slots.subList(size, slots.size()).stream().map(slot -> new Spare(slot, false)).toList();
    turn.change(life -> life.withRanks(ranks, spares, turn.now()));
    if (turn.life().verdict().isEmpty()) {
      turn.enter(ClusterState.BOOTING, "");
    } else {
      turn.life().ranks().forEach(turn::withdraw);
    }
  }

  /** A launch was granted: for all of its ranks, or for those that lost their nodes. */
  static void granted(Turn turn, Fact.LaunchGranted fact) {
    List<Fact.Slot> slots = fact.slots();
    turn.change(life -> life.answered(fact.launch(), life.failedLaunches()));
    if (turn.life().ranks().isEmpty()) {
      assign(turn, slots);
      return;
    }
    List<Fact.Slot> left = new ArrayList<>(slots);
    for (RankLife rank : turn.life().ranks()) {
      if (rank.lacksNode() && turn.life().goesOn(rank) && !left.isEmpty()) {
        Next next = new Next(left.removeFirst(), false);
        turn.changeRank(rank.rank(), r -> r.goingTo(next));
      }
    }
    // What nobody needs any more is held until its end, as a spare is.
    List<Spare> spares = new ArrayList<>(turn.life().spares());
    left.forEach(slot -> spares.add(new Spare(slot, false)));
    turn.change(life -> life.withSpares(spares));
  }

  /** It gets other nodes for lost ones. */
  static void replaced(Turn turn, Fact.Replaced fact) {
    List<Spare> spares = new ArrayList<>(turn.life().spares());
    for (Fact.Replacement replacement : fact.replacements()) {
      spares.removeIf(spare -> spare.slot().node().equals(replacement.to().node()));
      if (replacement.rank().isEmpty()) {
        spares.add(new Spare(replacement.to(), replacement.booted()));
      } else {
        Next next = new Next(replacement.to(), replacement.booted());
        turn.changeRank(replacement.rank().getAsInt(), r -> r.goingTo(next));
      }
    }
    turn.change(life -> life.withSpares(spares));
  }

  /**
   * It has more nodes. What came too late for the next attempt, or is not needed any more, is held
   * until the end as a spare is.
   */
  static void grown(Turn turn, Fact.Grown fact) {
    ClusterLife before = turn.life();
    boolean joins =
        before.state() == ClusterState.RESTARTING
            && !before.requeuing()
            && before.verdict().isEmpty();
    List<Next> joining = new ArrayList<>(before.tries().joining());
    List<Spare> spares = new ArrayList<>(before.spares());
    for (Fact.Slot slot : fact.ranks()) {
      if (joins) {
        joining.add(new Next(slot, true)); // The pool has only nodes whose agents have reported.
      } else {
        spares.add(new Spare(slot, true));
      }
    }
    fact.spares().forEach(slot -> spares.add(new Spare(slot, true)));
    turn.change(life -> life.with(life.tries().joinedBy(joining)).withSpares(spares));
    fact.spares().forEach(slot -> tellSpare(turn, slot.node()));
  }

  private static void tellSpare(Turn turn, NodeId node) {
    int ready = (int) turn.life().spares().stream().filter(Spare::booted).count();
    turn.tell(new ClusterEvent.SpareReady(turn.id(), turn.now(), node, ready));
  }

  /** It goes on with fewer ranks: those that stay are numbered anew in the next attempt. */
  static void resized(Turn turn, Fact.Resized fact) {
    if (turn.life().state() == ClusterState.RESTARTING && !turn.life().requeuing()) {
      turn.change(life -> life.with(life.tries().goingOnWith(fact.ranks())));
    }
  }

  /** A node's agent has reported for the first time. */
  static void joined(Turn turn, NodeId node) {
    turn.life().on(node).ifPresent(rank -> booted(turn, rank));
    for (RankLife rank : turn.life().ranks()) {
      rank.next()
          .filter(next -> next.slot().node().equals(node))
          .ifPresent(
              next -> turn.changeRank(rank.rank(), r -> r.goingTo(new Next(next.slot(), true))));
    }
    boolean spare =
        turn.life().spares().stream().anyMatch(s -> !s.booted() && s.slot().node().equals(node));
    turn.change(
        life ->
            life.withSpares(
                life.spares().stream()
                    .map(s -> s.slot().node().equals(node) ? new Spare(s.slot(), true) : s)
                    .toList()));
    if (spare && turn.life().verdict().isEmpty()) {
      tellSpare(turn, node);
    }
  }

  private static void booted(Turn turn, RankLife rank) {
    if (rank.reached(Progress.BOOTED)) {
      return;
    }
    turn.changeRank(rank.rank(), r -> r.advanced(Progress.BOOTED));
    ClusterLife life = turn.life();
    int ready = (int) life.ranks().stream().filter(r -> r.reached(Progress.BOOTED)).count();
    turn.tell(
        new ClusterEvent.NodeReady(turn.id(), turn.now(), rank.node(), ready, life.ranks().size()));
  }

  /** Every rank is told what is announced of the node of one. */
  static void noticed(Turn turn, Fact.NodeNoticed fact) {
    if (turn.life().verdict().isPresent()) {
      return;
    }
    OptionalInt rank =
        turn.life().on(fact.node()).map(r -> OptionalInt.of(r.rank())).orElse(OptionalInt.empty());
    if (rank.isPresent()) {
      ClusterNotice notice = new ClusterNotice(fact.kind(), rank, fact.deadline(), fact.message());
      turn.change(life -> life.noticing(Optional.of(notice)));
      turn.tell(new ClusterEvent.Noticed(turn.id(), turn.now(), notice));
    }
  }

  /** A node is gone: that of a rank, of its next attempt, or a spare. */
  static void lost(Turn turn, Fact.NodeLost fact) {
    List<Next> joining = new ArrayList<>(turn.life().tries().joining());
    joining.removeIf(next -> next.slot().node().equals(fact.node()));
    turn.change(life -> life.with(life.tries().joinedBy(joining)));
    turn.change(
        life ->
            life.withSpares(
                life.spares().stream().filter(s -> !s.slot().node().equals(fact.node())).toList()));
    for (RankLife rank : turn.life().ranks()) {
      boolean next =
          rank.next().filter(other -> other.slot().node().equals(fact.node())).isPresent();
      if (next || (rank.node().equals(fact.node()) && !rank.nodeLost())) {
        lost(turn, rank, fact);
      }
    }
  }

  /** A rank whose node is lost between two attempts gets that of one that was to join. */
  private static void takeOver(Turn turn, int rank) {
    List<Next> joining = new ArrayList<>(turn.life().tries().joining());
    if (!joining.isEmpty() && turn.life().goesOn(turn.life().ranks().get(rank))) {
      Next last = joining.removeLast();
      turn.changeRank(rank, r -> r.goingTo(last));
      turn.change(life -> life.with(life.tries().joinedBy(joining)));
    }
  }

  private static void lost(Turn turn, RankLife rank, Fact.NodeLost fact) {
    turn.changeRank(rank.rank(), RankLife::withoutNode);
    boolean overAlready = turn.life().tries().failure().isPresent();
    if (rank.reached(Progress.FINISHED) && !overAlready) {
      return; // Nothing of it runs there any more.
    }
    ProcessEnd end = new ProcessEnd.Unknown(fact.message());
    Optional<ProcessEnd> known =
        rank.reached(Progress.RUNNING) ? Optional.of(end) : Optional.empty();
    turn.changeRank(
        rank.rank(),
        r -> r.ended(Progress.FINISHED, known, Optional.of(turn.now()), EndedBy.ITSELF));
    String why =
        "node %s of %s is lost: %s"
            .formatted(fact.node(), turn.life().named(rank.rank()), fact.message());
    Cause cause = new Cause(ErrorCode.NODE_LOST, OptionalInt.of(rank.rank()), known, why);
    RestartCause kind = fact.announced() ? RestartCause.PREEMPTED : RestartCause.NODE_LOST;
    if (turn.life().verdict().isPresent()) {
      return;
    }
    if (!overAlready) {
      Restarts.decide(turn, kind, cause);
    } else if (!turn.life().request().spec().restartPolicy().replacesNodes()) {
      turn.fail(cause.code(), cause.rank(), cause.end(), why);
    } else {
      takeOver(turn, rank.rank());
    }
  }
}
