// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** With which ranks an elastic gang goes on when some have no node. */
final class Smaller {

  private Smaller() {}

  /**
   * The ranks that are left without some, and without the blocks that these break.
   *
   * @return in rank order; empty when they are too few, or would not lie evenly any more
   */
  static Optional<List<Integer>> without(RunningGang gang, List<Loss> lacking, Bounds bounds) {
    Set<Integer> gone = new TreeSet<>();
    lacking.forEach(loss -> gone.add(loss.rank()));
    gang.members().stream().filter(Member::leaving).forEach(member -> gone.add(member.rank()));
    int before;
    do { // A block of the gang may break one of a role, and that another one of the gang.
      before = gone.size();
      for (Member member : gang.members()) {
        if (gone.contains(member.rank()) && !member.leaving()) {
          gone.addAll(brokenWith(gang, member, bounds));
        }
      }
    } while (gone.size() > before);
    Map<String, Integer> left = new TreeMap<>();
    List<Integer> ranks =
        gang.members().stream()
            .map(Member::rank)
            .filter(rank -> !gone.contains(rank))
            .sorted()
            .toList();
    for (Member member : gang.members()) {
      left.merge(bounds.role(member).name(), gone.contains(member.rank()) ? 0 : 1, Integer::sum);
    }
    boolean enough =
        gang.members().stream()
            .map(bounds::role)
            .allMatch(role -> whole(role, left.getOrDefault(role.name(), 0)));
    return enough && whole(gang.request().layout(), ranks.size())
        ? Optional.of(ranks)
        : Optional.empty();
  }

  private static List<Integer> brokenWith(RunningGang gang, Member member, Bounds bounds) {
    return bounds.blocks(member).stream()
        .flatMap(
            block ->
                gang.members().stream()
                    .filter(other -> block.contains(other.rank(), bounds.role(other).need())))
        .map(Member::rank)
        .toList();
  }

  private static boolean whole(Role role, int ranks) {
    return ranks >= role.minimum() && whole(role.layout(), ranks);
  }

  private static boolean whole(Layout layout, int ranks) {
    return layout.blocks().stream().allMatch(block -> ranks % block.ranks() == 0)
        && layout.spread().filter(Layout.Spread::even).isEmpty();
  }
}
