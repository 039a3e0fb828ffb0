// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.model.NodeId;
import dev.clustered.model.Shape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a gang is when a decision about it has been carried out, for everybody who carries plans out
 * without machines: the forecast, and whoever tries plans on a model of a pool. Each method gives
 * another gang and throws an {@link IllegalArgumentException}, naming the gang and the value, when
 * the decision does not fit what the gang is. Whether the nodes are free only the caller can know.
 * Stateless.
 */
public final class CarriedOut {

  private CarriedOut() {}

  /**
   * A gang that waited and has got its nodes.
   *
   * @param shapes the shape of each node that it gets
   * @param now when it got them; it ends by its time limit, counted from then
   */
  public static RunningGang placed(
      GangRequest gang, Decision.Place place, Function<NodeId, Shape> shapes, Instant now) {
    int ranks = place.roles().stream().mapToInt(Role::nodes).sum();
    if (ranks != place.assignments().size()) {
      throw new IllegalArgumentException(
          "gang %s is placed as %s on %d nodes"
              .formatted(gang.id(), place.roles(), place.assignments().size()));
    }
    List<Member> members = new ArrayList<>();
    for (Role role : place.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        Assignment at = place.assignments().get(members.size());
        members.add(new Member(members.size(), role.name(), holding(role.need(), at, shapes)));
      }
    }
    Need first = place.roles().getFirst().need();
    return new RunningGang(
        gang,
        members,
        place.spares().stream().map(spare -> holding(first, spare, shapes)).toList(),
        now,
        gang.terms().timeLimit().map(now::plus),
        RunningGang.Phase.RUNNING,
        Optional.empty());
  }

  private static Holding holding(Need need, Assignment at, Function<NodeId, Shape> shapes) {
    return new Holding(at.node(), need.takes(shapes.apply(at.node())), at.gpus());
  }

  /** Ranks were told to go, and hold their nodes until they have {@link #left}. */
  public static RunningGang shrunk(RunningGang gang, Decision.Shrink shrink) {
    List<Member> members = new ArrayList<>();
    for (Member m : gang.members()) {
      boolean goes = m.leaving() || shrink.ranks().contains(m.rank());
      members.add(new Member(m.rank(), m.role(), m.at(), goes));
    }
    return gang.with(members, gang.spares());
  }

  /** A rank is on its new node, and holds the old one until it has {@link #left} that. */
  public static RunningGang moved(RunningGang gang, Decision.Move move) {
    List<Member> members = new ArrayList<>();
    for (Member m : gang.members()) {
      boolean moves = m.rank() == move.rank() && !m.leaving();
      if (moves) {
        requireOn(gang, m, move.from());
        members.add(new Member(m.rank(), m.role(), on(m.at(), move.to())));
      }
      members.add(moves ? new Member(m.rank(), m.role(), m.at(), true) : m);
    }
    return gang.with(members, gang.spares());
  }

  /** Whoever was told to go has gone: ranks, or those of them that were on other nodes before. */
  public static RunningGang left(RunningGang gang) {
    return gang.with(gang.members().stream().filter(m -> !m.leaving()).toList(), gang.spares());
  }

  /** A gang goes on with some of its ranks. */
  public static RunningGang resized(RunningGang gang, Decision.Resize resize) {
    return gang.with(
        gang.members().stream().filter(m -> resize.ranks().contains(m.rank())).toList(),
        gang.spares());
  }

  /**
   * A gang has more ranks and spares.
   *
   * @param shapes the shape of each node that it gets
   */
  public static RunningGang grown(
      RunningGang gang, Decision.Grow grow, Function<NodeId, Shape> shapes) {
    if (grow.assignments().size() > gang.room() || grow.spares().size() > gang.lackingSpares()) {
      throw new IllegalArgumentException(
          "gang %s could have %d ranks and %d spares more, and gets %s and %s"
              .formatted(
                  gang.id(), gang.room(), gang.lackingSpares(), grow.assignments(), grow.spares()));
    }
    Role role = gang.request().roles().getFirst();
    List<Member> members = new ArrayList<>(gang.members());
    for (Assignment at : grow.assignments()) {
      int rank = members.stream().mapToInt(Member::rank).max().orElse(-1) + 1;
      members.add(new Member(rank, role.name(), holding(role.need(), at, shapes)));
    }
    List<Holding> spares = new ArrayList<>(gang.spares());
    grow.spares().forEach(spare -> spares.add(holding(role.need(), spare, shapes)));
    return gang.with(members, spares);
  }

  /** A gang has other nodes for those that it lost. */
  public static RunningGang replaced(RunningGang gang, Decision.Replace replace) {
    RunningGang mended = gang;
    for (Replacement change : replace.replacements()) {
      List<Holding> spares = spares(mended, change);
      mended =
          change.rank() == Replacement.SPARE
              ? mended.with(mended.members(), spares)
              : mended.with(members(mended, change), spares);
    }
    return mended;
  }

  private static List<Member> members(RunningGang gang, Replacement change) {
    List<Member> members = new ArrayList<>();
    for (Member m : gang.members()) {
      boolean lost = m.rank() == change.rank();
      if (lost) {
        requireOn(gang, m, change.lost());
      }
      members.add(lost ? new Member(m.rank(), m.role(), on(m.at(), change.to())) : m);
    }
    return members;
  }

  /** The spares that are left, or the same with another for a lost one. */
  private static List<Holding> spares(RunningGang gang, Replacement change) {
    if (change.rank() == Replacement.SPARE) {
      return gang.spares().stream()
          .map(spare -> spare.node().equals(change.lost()) ? on(spare, change.to()) : spare)
          .toList();
    }
    List<Holding> left =
        gang.spares().stream().filter(spare -> !spare.node().equals(change.to().node())).toList();
    if (change.spare() == (left.size() == gang.spares().size())) {
      throw new IllegalArgumentException(
          "%s is called a spare of gang %s, or is one without being called so"
              .formatted(change.to().node(), gang.id()));
    }
    return left;
  }

  private static Holding on(Holding at, Assignment to) {
    return new Holding(to.node(), at.takes(), to.gpus());
  }

  private static void requireOn(RunningGang gang, Member member, NodeId node) {
    if (!member.at().node().equals(node)) {
      throw new IllegalArgumentException(
          "rank %d of gang %s is on %s, not on %s"
              .formatted(member.rank(), gang.id(), member.at().node(), node));
    }
  }
}
