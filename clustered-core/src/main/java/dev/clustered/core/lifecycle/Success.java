// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.Role;
import java.util.ArrayList;
import java.util.List;

/**
 * What the end of one rank says of its cluster, by the success policy. The policy asks for ranks of
 * roles that end by themselves; all others may run for ever. Stateless.
 */
final class Success {

  private Success() {}

  /** The ranks that end by themselves, in rank order: those whose success may be asked for. */
  static List<RankLife> asked(ClusterLife life) {
    List<Role> roles = life.request().spec().roles();
    if (roles.stream().allMatch(Role::endsByItself)) {
      return life.ranks();
    }
    List<RankLife> asked = new ArrayList<>();
    int first = 0;
    for (Role role : roles) {
      int end = Math.min(first + role.nodes(), life.ranks().size());
      if (role.endsByItself()) {
        asked.addAll(life.ranks().subList(first, end));
      }
      first = end;
    }
    return asked;
  }

  /** Whether nobody who ends by himself still runs. */
  static boolean over(ClusterLife life) {
    List<RankLife> asked = asked(life);
    return !asked.isEmpty() && asked.stream().allMatch(rank -> rank.reached(Progress.EXITED));
  }

  private static boolean asksFor(ClusterLife life, int rank) {
    return life.request().spec().role(rank).map(Role::endsByItself).orElse(true);
  }

  /** Whether the cluster has succeeded, whoever still runs. */
  static boolean decidedBy(ClusterLife life, int rank, ProcessEnd end) {
    return end.success()
        && switch (life.request().spec().successPolicy()) {
          case ALL_RANKS -> false;
          case LEADER -> rank == 0;
          case ANY_RANK -> asksFor(life, rank);
        };
  }

  /** Why the cluster has succeeded. */
  static String inWords(ClusterLife life) {
    return switch (life.request().spec().successPolicy()) {
      case ALL_RANKS ->
          asked(life).size() == life.ranks().size()
              ? "every rank succeeded"
              : "every rank succeeded whose role ends by itself";
      case LEADER -> "rank 0 succeeded";
      case ANY_RANK -> "a rank succeeded";
    };
  }

  /** Whether the attempt has failed; the rank is known to have ended. */
  static boolean failedBy(ClusterLife life, int rank, ProcessEnd end) {
    return !end.success()
        && switch (life.request().spec().successPolicy()) {
          case ALL_RANKS -> true;
          case LEADER -> rank == 0;
          case ANY_RANK -> asksFor(life, rank) && over(life);
        };
  }
}
