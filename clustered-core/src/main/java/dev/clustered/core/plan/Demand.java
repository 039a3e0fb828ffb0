// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a gang asks for with its first roles, read once for all searches. Immutable. */
final class Demand {

  private final List<Role> roles;
  private final List<Group> groups;
  private final List<String> levels;
  private final Layout layout;
  private final int spares;
  private final int most;
  private final int least;

  /**
   * Ranks that are placed together: they need the same and lie by the same layout.
   *
   * @param roles the numbers of their roles, in order
   * @param required the level of which one domain holds them, inside the gang's own
   */
  record Group(List<Integer> roles, Need need, Optional<String> required, Layout layout) {

    boolean rdma() {
      return need.rdma().isPresent();
    }
  }

  Demand(GangRequest gang) {
    this.roles = gang.roles();
    this.layout = gang.layout();
    this.spares = gang.spares();
    this.most = gang.nodes();
    this.groups = grouped();
    this.levels = together();
    this.least = gang.minimum();
  }

  private List<Group> grouped() {
    if (roles.size() == 1) {
      Role only = roles.getFirst();
      Layout whole = layout.around(only.layout());
      return List.of(new Group(List.of(0), only.need(), Optional.empty(), whole));
    }
    List<Group> found = new ArrayList<>();
    for (int number = 0; number < roles.size(); number++) {
      Role role = roles.get(number);
      Optional<Group> like = found.stream().filter(group -> alike(group, role)).findFirst();
      if (like.isPresent()) {
        like.get().roles().add(number);
      } else {
        found.add(
            new Group(
                new ArrayList<>(List.of(number)),
                role.need(),
                role.layout().required(),
                layout.around(role.layout())));
      }
    }
    return List.copyOf(found);
  }

  private boolean alike(Group group, Role role) {
    Role first = roles.get(group.roles().getFirst());
    return role.layout().equals(Layout.ANY)
        && first.layout().equals(Layout.ANY)
        && role.need().equals(first.need());
  }

  /** The levels of which one domain each must hold the whole gang, beside the zone. */
  private List<String> together() {
    Set<String> found = new LinkedHashSet<>();
    layout.required().ifPresent(found::add);
    if (roles.size() == 1) {
      roles.getFirst().layout().required().ifPresent(found::add);
    }
    if (groups.stream().allMatch(Group::rdma)) {
      found.add(TopologyPath.FABRIC);
    }
    return List.copyOf(found);
  }

  List<Group> groups() {
    return groups;
  }

  List<String> levels() {
    return levels;
  }

  /** The level of which one domain should hold the gang. */
  Optional<String> preferred() {
    return groups.size() == 1 ? groups.getFirst().layout().preferred() : layout.preferred();
  }

  int spares() {
    return spares;
  }

  /** With how many ranks the gang starts at most. */
  int most() {
    return most;
  }

  /** With how many ranks it starts at least. */
  int least() {
    return least;
  }

  boolean elastic() {
    return least < most;
  }

  /** How many ranks of each role make so many in all: the first role grows first. */
  int[] sizes(int ranks) {
    int[] sizes = new int[roles.size()];
    int left = ranks;
    for (int role = 0; role < sizes.length; role++) {
      sizes[role] = roles.get(role).minimum();
      left -= sizes[role];
    }
    for (int role = 0; role < sizes.length && left > 0; role++) {
      int more = Math.min(left, roles.get(role).nodes() - sizes[role]);
      sizes[role] += more;
      left -= more;
    }
    return sizes;
  }

  /** How many ranks of a role come and go together. */
  int step(int role) {
    List<Layout.Block> blocks = roles.get(role).layout().blocks();
    return blocks.isEmpty() ? 1 : blocks.getFirst().ranks();
  }

  /** How many ranks of a role there are at most. */
  int most(int role) {
    return roles.get(role).nodes();
  }

  /** How many ranks a group has when the roles have so many. */
  static int ranks(Group group, int[] sizes) {
    int ranks = 0;
    for (int role : group.roles()) {
      ranks += sizes[role];
    }
    return ranks;
  }

  /** Rank by rank what was taken for each group in its order, and what the gang runs as. */
  Placement placement(
      List<List<Decision.Assignment>> ofGroups, List<Decision.Assignment> spare, int[] sizes) {
    if (roles.size() == 1) {
      return new Placement(ofGroups.getFirst(), spare, List.of(roles.getFirst().sized(sizes[0])));
    }
    int[] used = new int[groups.size()];
    List<Decision.Assignment> ranks = new ArrayList<>();
    List<Role> sized = new ArrayList<>();
    for (int role = 0; role < sizes.length; role++) {
      int group = groupOf(role);
      ranks.addAll(ofGroups.get(group).subList(used[group], used[group] + sizes[role]));
      used[group] += sizes[role];
      sized.add(roles.get(role).sized(sizes[role]));
    }
    return new Placement(ranks, spare, sized);
  }

  private int groupOf(int role) {
    int group = 0;
    while (!groups.get(group).roles().contains(role)) {
      group++;
    }
    return group;
  }
}
