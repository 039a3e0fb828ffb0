// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A gang that waits for its nodes. Immutable and thread-safe.
 *
 * @param queuedAt since when it waits, counted from its first attempt
 * @param roles its ranks; those of the first role are numbered first
 * @param layout how all its ranks lie together
 * @param spares how many nodes more it holds, each fit for a rank of the first role; 0 or more
 * @param terms its queue, its priority and what may be done to it
 * @param alternatives other roles that would do, the one wanted most first
 * @param claim what it was promised, while others end for it
 */
public record GangRequest(
    ClusterId id,
    Instant queuedAt,
    List<Role> roles,
    Layout layout,
    int spares,
    Terms terms,
    List<List<Role>> alternatives,
    Optional<Claim> claim) {

  public GangRequest {
    roles = requireSound(id, layout, roles);
    List<List<Role>> others = new ArrayList<>();
    for (List<Role> other : alternatives) {
      others.add(requireSound(id, layout, other));
    }
    alternatives = List.copyOf(others);
    if (spares < 0) {
      throw new IllegalArgumentException(
          "gang %s has 0 spares or more; received: %d".formatted(id, spares));
    }
  }

  /** A gang of equal ranks with priority 0 that may lie anywhere. */
  public GangRequest(
      ClusterId id,
      int nodes,
      Optional<String> shape,
      Optional<Resources> each,
      Optional<RdmaOptions> rdma,
      Optional<String> backend,
      Instant queuedAt) {
    this(
        id,
        queuedAt,
        List.of(new Role(Role.ONLY, requireSome(id, nodes), new Need(backend, shape, each, rdma))));
  }

  private static int requireSome(ClusterId id, int nodes) {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "gang " + id + " asks for 1 node or more; received: " + nodes);
    }
    return nodes;
  }

  /** A gang of these roles with priority 0 that may lie anywhere. */
  public GangRequest(ClusterId id, Instant queuedAt, List<Role> roles) {
    this(id, queuedAt, roles, Layout.ANY, 0, Terms.DEFAULT, List.of(), Optional.empty());
  }

  private static List<Role> requireSound(ClusterId id, Layout layout, List<Role> roles) {
    if (roles.isEmpty()) {
      throw new IllegalArgumentException("gang " + id + " has a role; received none");
    }
    Set<String> names = new TreeSet<>();
    long nodes = 0;
    long minimum = 0;
    for (Role role : roles) {
      if (!names.add(role.name())) {
        throw new IllegalArgumentException(
            "the role %s of gang %s stands twice".formatted(role.name(), id));
      }
      if (!role.need().backend().equals(roles.getFirst().need().backend())) {
        throw new IllegalArgumentException(
            "all roles of gang %s are of one backend; received: %s".formatted(id, roles));
      }
      nodes += role.nodes();
      minimum += role.minimum();
    }
    if (nodes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "gang %s has %d ranks at most; received: %d".formatted(id, Integer.MAX_VALUE, nodes));
    }
    for (Layout.Block block : layout.blocks()) {
      if (nodes % block.ranks() != 0 || minimum % block.ranks() != 0) {
        String size = minimum == nodes ? "" : minimum + " to ";
        throw new IllegalArgumentException(
            "gang %s of %s%d nodes does not divide into blocks of %d of the level %s"
                .formatted(id, size, nodes, block.ranks(), block.level()));
      }
    }
    if (layout.ordered() && !roles.stream().allMatch(role -> lies(role, roles))) {
      throw new IllegalArgumentException(
          "the ranks of gang %s lie in blocks or apart by the layout of the gang or by those of its"
                  .formatted(id)
              + " roles: of the gang when all need the same, else of each role; received: "
              + roles);
    }
    return List.copyOf(roles);
  }

  /** Whether a role leaves it to the gang how its ranks lie. */
  private static boolean lies(Role role, List<Role> roles) {
    return roles.size() == 1
        ? !role.layout().ordered()
        : role.layout().equals(Layout.ANY) && role.need().equals(roles.getFirst().need());
  }

  /** What would do, the one wanted most first: each with one list of roles and no alternatives. */
  List<GangRequest> ways() {
    if (alternatives.isEmpty()) {
      return List.of(this);
    }
    List<GangRequest> ways = new ArrayList<>();
    ways.add(withAlternatives(List.of()));
    alternatives.forEach(others -> ways.add(withAlternatives(List.of()).withRoles(others)));
    return ways;
  }

  /** What each need of each of its ways asks for, as a gang of one role. */
  List<GangRequest> parts() {
    if (roles.size() == 1 && alternatives.isEmpty()) {
      return List.of(this);
    }
    List<GangRequest> parts = new ArrayList<>();
    for (GangRequest way : ways()) {
      int held = spares;
      for (Demand.Group group : new Demand(way).groups()) {
        parts.add(way.withSpares(held).withRoles(List.of(way.only(group))));
        held = 0; // All spares are for the first role.
      }
    }
    return parts;
  }

  /** The roles of a group as one. */
  private Role only(Demand.Group group) {
    Role first = roles.get(group.roles().getFirst());
    int most = 0;
    int least = 0;
    for (int role : group.roles()) {
      most += roles.get(role).nodes();
      least += roles.get(role).minimum();
    }
    return new Role(first.name(), most, least, first.need(), first.layout());
  }

  /** Whether its nodes could be launched: no backend promises a layout, or what a node says. */
  boolean launchable() {
    return layout.equals(Layout.ANY)
        && roles.stream()
            .allMatch(
                role -> role.layout().equals(Layout.ANY) && role.need().attributes().isEmpty());
  }

  /** With how many ranks it starts at least, its spares among them. */
  int least() {
    return (int) Math.min(Integer.MAX_VALUE, (long) minimum() + spares);
  }

  /** How many ranks it has at most. */
  public int nodes() {
    int nodes = 0;
    for (Role role : roles) {
      nodes += role.nodes();
    }
    return nodes;
  }

  /** With how many ranks it starts at least. */
  public int minimum() {
    int minimum = 0;
    for (Role role : roles) {
      minimum += role.minimum();
    }
    return minimum;
  }

  /** The same with as few ranks as it starts with. */
  GangRequest atMinimum() {
    return minimum() == nodes()
        ? this
        : withRoles(roles.stream().map(role -> role.withNodes(role.minimum())).toList());
  }

  /** What a rank of the first role needs. */
  Need need() {
    return roles.getFirst().need();
  }

  /** The only shape wanted for the first role. */
  public Optional<String> shape() {
    return need().shape();
  }

  /** What a rank of the first role takes; empty when it takes the whole node. */
  public Optional<Resources> each() {
    return need().each();
  }

  /** The wish for one fabric. */
  public Optional<RdmaOptions> rdma() {
    return need().rdma();
  }

  /** The only backend wanted. */
  public Optional<String> backend() {
    return need().backend();
  }

  /** The higher goes first. */
  public int priority() {
    return terms.priority();
  }

  /** The same with another layout. */
  public GangRequest withLayout(Layout other) {
    return new GangRequest(id, queuedAt, roles, other, spares, terms, alternatives, claim);
  }

  /** The same with another priority. */
  public GangRequest withPriority(int other) {
    return withTerms(terms.withPriority(other));
  }

  /** The same on other terms. */
  public GangRequest withTerms(Terms other) {
    return new GangRequest(id, queuedAt, roles, layout, spares, other, alternatives, claim);
  }

  /** The same with other roles. */
  public GangRequest withRoles(List<Role> others) {
    return new GangRequest(id, queuedAt, others, layout, spares, terms, alternatives, claim);
  }

  /** The same with so many spare nodes. */
  public GangRequest withSpares(int nodes) {
    return new GangRequest(id, queuedAt, roles, layout, nodes, terms, alternatives, claim);
  }

  /** The same with other roles that would do. */
  public GangRequest withAlternatives(List<List<Role>> others) {
    return new GangRequest(id, queuedAt, roles, layout, spares, terms, others, claim);
  }

  /** The same with each role of each of its ways changed. */
  GangRequest withEachRole(UnaryOperator<Role> change) {
    return withRoles(roles.stream().map(change).toList())
        .withAlternatives(
            alternatives.stream().map(some -> some.stream().map(change).toList()).toList());
  }

  /** The same without a promise. */
  GangRequest withoutClaim() {
    return claim.isEmpty()
        ? this
        : new GangRequest(
            id, queuedAt, roles, layout, spares, terms, alternatives, Optional.empty());
  }

  /**
   * The same with a promise.
   *
   * @throws IllegalArgumentException when it is not for just the nodes that the gang starts with at
   *     least in one of its ways, and its spares
   */
  public GangRequest withClaim(Claim promise) {
    List<Integer> sizes = ways().stream().map(GangRequest::least).distinct().toList();
    if (!sizes.contains(promise.nodes().size())) {
      throw new IllegalArgumentException(
          "gang %s starts with %s nodes, spares among them, and is promised as many; received: %d"
              .formatted(
                  id,
                  sizes.stream().map(String::valueOf).collect(Collectors.joining(" or ")),
                  promise.nodes().size()));
    }
    return new GangRequest(
        id, queuedAt, roles, layout, spares, terms, alternatives, Optional.of(promise));
  }
}
