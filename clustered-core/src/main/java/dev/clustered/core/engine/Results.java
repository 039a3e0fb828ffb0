// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.Json;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.model.Role;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;

/** The results that a cluster which has succeeded gives, by its success policy. Stateless. */
final class Results {

  private static final int MOST_NAMED = 10;

  private Results() {}

  /** The results of the ranks that are asked for, in rank order. */
  static <T> List<T> of(ClusterSpec spec, ClusterExit exit, Class<T> type) {
    List<RankExit> asked = exit.ranks().stream().filter(rank -> asks(spec, rank)).toList();
    List<RankExit> without = asked.stream().filter(rank -> rank.result().isEmpty()).toList();
    boolean enough =
        switch (spec.successPolicy()) {
          case ALL_RANKS, LEADER -> without.isEmpty();
          case ANY_RANK -> without.size() < asked.size();
        };
    if (!enough) {
      throw missing(exit.cluster(), without);
    }
    return asked.stream()
        .filter(rank -> rank.result().isPresent())
        .map(rank -> read(exit.cluster(), rank, type))
        .toList();
  }

  private static boolean asks(ClusterSpec spec, RankExit rank) {
    boolean endsByItself = spec.role(rank.rank()).map(Role::endsByItself).orElse(true);
    return switch (spec.successPolicy()) {
      case ALL_RANKS -> endsByItself;
      case LEADER -> rank.rank() == 0;
      case ANY_RANK ->
          endsByItself
              && rank.by() == RankExit.EndedBy.ITSELF
              && rank.end().filter(ProcessEnd::success).isPresent();
    };
  }

  private static ClusterException missing(ClusterId cluster, List<RankExit> without) {
    String first =
        without.stream()
            .limit(MOST_NAMED)
            .map(rank -> Integer.toString(rank.rank()))
            .collect(Collectors.joining(", ", without.size() == 1 ? "rank " : "ranks ", ""));
    String ranks =
        without.size() > MOST_NAMED
            ? "%s and %d more".formatted(first, without.size() - MOST_NAMED)
            : first;
    return new ClusterException(
        ErrorCode.RANK_FAILED,
        "%s of cluster %s gave no result, or one that is no JSON or has more than 8 MiB; a command gives one by writing JSON to the file that CLUSTERED_RESULT_FILE names, a task by returning it"
            .formatted(ranks, cluster));
  }

  private static <T> T read(ClusterId cluster, RankExit rank, Class<T> type) {
    try {
      return Json.mapper().readValue(rank.result().orElseThrow(), type);
    } catch (JacksonException e) {
      throw new ClusterException(
          ErrorCode.RANK_FAILED,
          "the result of rank %d of cluster %s is no %s: %s"
              .formatted(rank.rank(), cluster, type.getName(), e.getOriginalMessage()),
          e);
    }
  }
}
