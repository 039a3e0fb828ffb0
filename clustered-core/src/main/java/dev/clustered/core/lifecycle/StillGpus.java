// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankReport.Gpus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the GPUs of a rank say about a workload that does nothing else. A collective that waits for
 * somebody keeps its GPU as busy as one that computes. So a busy GPU says only that its rank has
 * arrived where the others may be waited for, and an idle one that it has not. Stateless.
 */
final class StillGpus {

  private StillGpus() {}

  /** Whether the cluster has one GPU in all, which waits for no other. */
  static boolean alone(ClusterLife life) {
    return life.ranks().stream().mapToInt(rank -> rank.gpus().size()).sum() == 1;
  }

  /** Whether all its GPUs were busy within the limit: it computes, or waits for others. */
  static boolean arrived(RankLife rank) {
    return gpus(rank)
        .filter(gpus -> gpus.unseen().isEmpty() && gpus.idle().isEmpty() && !gpus.busy().isEmpty())
        .isPresent();
  }

  /** Whether a GPU of it did nothing for the limit: the others may wait for it. */
  static boolean absent(RankLife rank) {
    return gpus(rank).filter(gpus -> !gpus.idle().isEmpty()).isPresent();
  }

  /** In words; empty of a rank that has none. */
  static Optional<String> seen(RankLife rank, Instant now) {
    if (gpus(rank).isEmpty()) {
      return rank.gpus().isEmpty()
          ? Optional.empty()
          : Optional.of("what its GPUs did was not looked at");
    }
    Gpus gpus = gpus(rank).get();
    Instant at = rank.still().orElseThrow().at();
    String idle =
        "GPU %s idle for %s"
            .formatted(
                names(gpus.idle()), Hangs.seconds(gpus.idleFor().plus(Duration.between(at, now))));
    String busy = "GPU %s busy, as in a collective that waits".formatted(names(gpus.busy()));
    String unseen = "GPUs cannot be seen: " + gpus.unseen().orElse("");
    List<String> all =
        List.of(
            gpus.idle().isEmpty() ? "" : idle,
            gpus.busy().isEmpty() ? "" : busy,
            gpus.unseen().isEmpty() ? "" : unseen);
    return Optional.of(String.join(", ", all.stream().filter(part -> !part.isEmpty()).toList()));
  }

  /** A run of indices by its ends. */
  private static String names(List<String> gpus) {
    for (int i = 1; i < gpus.size(); i++) {
      if (!gpus.get(i).equals(next(gpus.get(i - 1)))) {
        return String.join(" ", gpus);
      }
    }
    return gpus.size() > 2 ? gpus.getFirst() + ".." + gpus.getLast() : String.join(" ", gpus);
  }

  private static String next(String gpu) {
    boolean index = gpu.length() < 6 && gpu.chars().allMatch(Character::isDigit);
    return index ? Integer.toString(Integer.parseInt(gpu) + 1) : "";
  }

  private static Optional<Gpus> gpus(RankLife rank) {
    return rank.still().flatMap(still -> still.report().gpus());
  }
}
