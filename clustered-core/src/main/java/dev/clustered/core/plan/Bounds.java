// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Where the ranks of a running gang must lie, as those say that are still there: the same after a
 * restart as before. Not thread-safe.
 */
final class Bounds {

  private final RunningGang gang;
  private final Losses losses;
  private final Function<NodeId, Optional<Slot>> slots;
  private final List<Role> roles;
  private final Map<String, Integer> firstRanks = new TreeMap<>();
  private final Map<Group, Place> anchors = new LinkedHashMap<>();
  private final Map<NodeId, Integer> held = new TreeMap<>();
  private final Map<Integer, NodeId> moved = new TreeMap<>();
  private final List<Loss> lost = new ArrayList<>();
  private final List<Loss> lostSpares = new ArrayList<>();

  /**
   * Ranks that lie in one domain of a level.
   *
   * @param rdma whether those alone are meant that speak to one another by RDMA
   * @param from the first rank
   * @param to the rank after the last
   */
  record Group(String level, boolean rdma, int from, int to) {
    boolean contains(int rank, Need need) {
      return from <= rank && rank < to && (!rdma || need.rdma().isPresent());
    }
  }

  Bounds(RunningGang gang, Losses losses, Function<NodeId, Optional<Slot>> slots) {
    this.gang = gang;
    this.losses = losses;
    this.slots = slots;
    GangRequest request = gang.request();
    this.roles =
        Stream.concat(
                request.roles().stream(), request.alternatives().stream().flatMap(List::stream))
            .toList();
    for (Member member : gang.members()) {
      firstRanks.merge(member.role(), member.rank(), Math::min);
      if (!losses.lost(member.at().node())) {
        held.merge(member.at().node(), 1, Integer::sum);
      }
    }
    gang.spares().forEach(spare -> held.merge(spare.node(), 1, Integer::sum));
    for (Member member : gang.members()) {
      if (!member.leaving() && losses.lost(member.at().node())) {
        Role role = role(member);
        lost.add(loss(member.rank(), role, member.at().node(), groups(member, role)));
      }
    }
    for (Holding spare : gang.spares()) {
      if (losses.lost(spare.node())) {
        Role role = roles.getFirst();
        lostSpares.add(loss(Replacement.SPARE, role, spare.node(), outermost(role.need())));
      }
    }
  }

  private Loss loss(int rank, Role role, NodeId node, List<Group> groups) {
    Optional<Slot> was = slots.apply(node);
    Optional<String> shape = was.map(slot -> slot.node().shape().name()).or(() -> shape(role));
    return new Loss(rank, role, node, was, shape, groups);
  }

  /** What the other ranks of a role run on. */
  private Optional<String> shape(Role role) {
    return gang.members().stream()
        .filter(member -> role(member).equals(role))
        .flatMap(member -> slots.apply(member.at().node()).stream())
        .map(slot -> slot.node().shape().name())
        .findFirst();
  }

  Role role(Member member) {
    return roles.stream()
        .filter(role -> role.name().equals(member.role()))
        .findFirst()
        .orElse(roles.getFirst());
  }

  /** The domains that hold the gang as a whole. */
  private List<Group> outermost(Need need) {
    List<Group> groups = new ArrayList<>();
    groups.add(new Group(TopologyPath.ZONE, false, 0, Integer.MAX_VALUE));
    if (need.rdma().isPresent()) {
      groups.add(new Group(TopologyPath.FABRIC, true, 0, Integer.MAX_VALUE));
    }
    gang.request()
        .layout()
        .required()
        .ifPresent(level -> groups.add(new Group(level, false, 0, Integer.MAX_VALUE)));
    return groups;
  }

  private List<Group> groups(Member member, Role role) {
    List<Group> groups = unblocked(member, role);
    groups.addAll(blocks(member));
    return groups;
  }

  private List<Group> unblocked(Member member, Role role) {
    List<Group> groups = outermost(role.need());
    int first = firstRank(member);
    role.layout()
        .required()
        .ifPresent(level -> groups.add(new Group(level, false, first, first + role.nodes())));
    return groups;
  }

  /** The blocks that a rank is in, those of the gang and then those of its role. */
  List<Group> blocks(Member member) {
    List<Group> blocks = new ArrayList<>();
    add(gang.request().layout().blocks(), 0, member.rank(), blocks);
    add(role(member).layout().blocks(), firstRank(member), member.rank(), blocks);
    return blocks;
  }

  private int firstRank(Member member) {
    return firstRanks.getOrDefault(member.role(), 0);
  }

  private static void add(List<Layout.Block> blocks, int first, int rank, List<Group> groups) {
    for (Layout.Block block : blocks) {
      int from = rank - (rank - first) % block.ranks();
      groups.add(new Group(block.level(), false, from, from + block.ranks()));
    }
  }

  /** The ranks that need another node, in rank order. */
  List<Loss> lost() {
    return lost;
  }

  /** The spares that are gone. */
  List<Loss> lostSpares() {
    return lostSpares;
  }

  /**
   * One rank more, or one spare, of what the first role needs and as near as can be to its last
   * rank; empty when the gang has no such rank.
   *
   * @param rank its number, or {@link Replacement#SPARE}
   */
  Optional<Loss> more(int rank) {
    return gang.members().stream()
        .filter(member -> !member.leaving() && role(member).equals(roles.getFirst()))
        .reduce((one, later) -> later)
        .map(last -> loss(rank, role(last), last.at().node(), unblocked(last, role(last))));
  }

  /** Whether the gang has nothing on a node. */
  boolean holdsNothing(NodeId node) {
    return held.getOrDefault(node, 0) == 0;
  }

  /** The domain of a group, if any of its ranks or this plan says which. */
  Optional<Place> anchor(Group group) {
    Place known = anchors.get(group);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<Place> found =
        gang.members().stream()
            .filter(member -> group.contains(member.rank(), role(member).need()))
            .filter(member -> says(group, member))
            .flatMap(member -> slots.apply(member.at().node()).stream())
            .flatMap(slot -> slot.place().around(group.level()).stream())
            .findFirst();
    found.ifPresent(place -> anchors.put(group, place));
    return found;
  }

  /** A whole group that is gone may lie elsewhere, but not in another zone. */
  private boolean says(Group group, Member member) {
    return group.level().equals(TopologyPath.ZONE) || !losses.lost(member.at().node());
  }

  void anchor(Group group, Place place) {
    anchors.put(group, place);
  }

  /** What is known so far of where groups lie. */
  Map<Group, Place> anchors() {
    return new LinkedHashMap<>(anchors);
  }

  /** Forgets all but what was known once. */
  void anchorOnly(Map<Group, Place> known) {
    anchors.clear();
    anchors.putAll(known);
  }

  /** The first group of a loss, from outside, of which nobody says where it lies. */
  Optional<Group> loose(Loss loss) {
    return loss.groups().stream().filter(group -> anchor(group).isEmpty()).findFirst();
  }

  /** The innermost domain in which a loss must be made good; empty when nobody knows any. */
  Optional<Place> scope(Loss loss) {
    Optional<Place> innermost = Optional.empty();
    for (Group group : loss.groups()) {
      Optional<Place> anchor = anchor(group);
      if (anchor.isPresent()
          && innermost.filter(other -> other.depth() >= anchor.get().depth()).isEmpty()) {
        innermost = anchor;
      }
    }
    return innermost;
  }

  /** Whether a node lies where a loss must be made good. */
  boolean within(Loss loss, Slot slot) {
    for (Group group : loss.groups()) {
      Optional<Place> there = slot.place().around(group.level());
      if (there.isEmpty() || !anchor(group).equals(there)) {
        return false;
      }
    }
    return apart(gang.request().layout(), slot, gang.members())
        && apart(loss.role().layout(), slot, ofRole(loss.role()));
  }

  private List<Member> ofRole(Role role) {
    return gang.members().stream().filter(member -> role(member).equals(role)).toList();
  }

  /** Whether one more rank keeps those apart that a layout wants to be. */
  private boolean apart(Layout layout, Slot slot, List<Member> members) {
    if (layout.spread().isEmpty()) {
      return true;
    }
    Layout.Spread spread = layout.spread().get();
    Optional<Place> domain = slot.place().around(spread.level());
    if (domain.isEmpty()) {
      return false;
    }
    Map<String, Integer> before = new TreeMap<>();
    int there = 0;
    for (Member member : members) {
      Optional<Place> at =
          slots.apply(member.at().node()).flatMap(s -> s.place().around(spread.level()));
      at.ifPresent(place -> before.merge(place.toString(), 1, Integer::sum));
      NodeId now = moved.getOrDefault(member.rank(), member.at().node());
      boolean stays = moved.containsKey(member.rank()) || !losses.lost(now);
      Optional<Place> place = slots.apply(now).flatMap(s -> s.place().around(spread.level()));
      there += stays && place.equals(domain) ? 1 : 0;
    }
    int fullest = before.values().stream().mapToInt(count -> count).max().orElse(1);
    return there < Math.min(spread.most(), spread.even() ? fullest : Integer.MAX_VALUE);
  }

  /** Whether the gang may have one more rank on a node. */
  boolean mayHold(Need need, NodeId node) {
    return held.getOrDefault(node, 0) < need.perNode();
  }

  /** A loss is made good by a node. */
  void hold(Loss loss, NodeId node, boolean spare) {
    if (!spare) {
      held.merge(node, 1, Integer::sum);
    }
    if (!loss.isSpare()) {
      moved.put(loss.rank(), node);
    }
  }

  /** That is taken back. */
  void leave(Loss loss, NodeId node, boolean spare) {
    if (!spare) {
      held.merge(node, -1, Integer::sum);
    }
    moved.remove(loss.rank());
  }
}
