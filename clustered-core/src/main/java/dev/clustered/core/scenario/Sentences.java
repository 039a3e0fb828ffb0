// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Claim;
import dev.clustered.core.plan.Decision;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Puts decisions into words. */
final class Sentences {

  private Sentences() {}

  /** The gang that a decision is for; empty for a release. */
  static Optional<ClusterId> gang(Decision decision) {
    return switch (decision) {
      case Decision.Place place -> Optional.of(place.gang());
      case Decision.Launch launch -> Optional.of(launch.gang());
      case Decision.Preempt preempt -> Optional.of(preempt.gang());
      case Decision.Migrate migrate -> Optional.of(migrate.gang());
      case Decision.Replace replace -> Optional.of(replace.gang());
      case Decision.Resize resize -> Optional.of(resize.gang());
      case Decision.Grow grow -> Optional.of(grow.gang());
      case Decision.Requeue requeue -> Optional.of(requeue.gang());
      case Decision.Wait wait -> Optional.of(wait.gang());
      case Decision.Refuse refuse -> Optional.of(refuse.gang());
      case Decision.Release release -> Optional.empty();
    };
  }

  static String kind(Class<? extends Decision> kind) {
    return kind.getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }

  /** One decision, and why, in one line or several. */
  static List<String> of(Decision decision) {
    List<String> lines = new ArrayList<>();
    switch (decision) {
      case Decision.Place place -> {
        String spares =
            place.spares().isEmpty() ? "" : ", spares " + names(Wish.nodesOf(place.spares()));
        lines.add(
            "place %s on %s%s"
                .formatted(place.gang(), names(Wish.nodesOf(place.assignments())), spares));
      }
      case Decision.Launch launch ->
          lines.add(
              "launch %d × %s in zone %s of %s for %s%s"
                  .formatted(
                      launch.nodes(),
                      launch.offer().shape().name(),
                      launch.offer().zone(),
                      launch.offer().backend(),
                      launch.gang(),
                      launch.rdma().isPresent() ? ", on one fabric" : ""));
      case Decision.Preempt preempt -> {
        preempt
            .shrinks()
            .forEach(
                shrink ->
                    lines.add(
                        "%s gives up %s for %s"
                            .formatted(shrink.gang(), ranks(shrink.ranks()), preempt.gang())));
        if (!preempt.victims().isEmpty()) {
          lines.add("end %s for %s".formatted(list(preempt.victims()), preempt.gang()));
        }
        lines.add(kept(preempt.gang(), preempt.claim()));
      }
      case Decision.Migrate migrate -> {
        lines.add(
            "move others for %s, which costs them %s of work"
                .formatted(migrate.gang(), migrate.cost()));
        migrate
            .moves()
            .forEach(
                m ->
                    lines.add(
                        "  rank %d of %s from %s to %s"
                            .formatted(m.rank(), m.gang(), m.from(), m.to().node())));
        lines.add(kept(migrate.gang(), migrate.claim()));
      }
      case Decision.Replace replace -> {
        lines.add("replace lost nodes of " + replace.gang());
        replace
            .replacements()
            .forEach(
                r ->
                    lines.add(
                        "  rank %d from %s to %s%s"
                            .formatted(
                                r.rank(),
                                r.lost(),
                                r.to().node(),
                                r.spare() ? ", a spare of its own" : "")));
      }
      case Decision.Resize resize ->
          lines.add("let %s go on with ranks %s".formatted(resize.gang(), resize.ranks()));
      case Decision.Grow grow ->
          lines.add(
              "let %s have %s as ranks and %s as spares more"
                  .formatted(
                      grow.gang(),
                      names(Wish.nodesOf(grow.assignments())),
                      names(Wish.nodesOf(grow.spares()))));
      case Decision.Requeue requeue -> {
        lines.add("end %s, which waits again at its old place".formatted(requeue.gang()));
        reasons(requeue.reasons(), lines);
      }
      case Decision.Release release -> lines.add("give back " + names(release.nodes()));
      case Decision.Wait wait -> {
        lines.add(
            "%s waits%s"
                .formatted(
                    wait.gang(),
                    wait.expectedStart().map(at -> ", expected to start at " + at).orElse("")));
        reasons(wait.reasons(), lines);
      }
      case Decision.Refuse refuse ->
          lines.add("refuse %s: %s: %s".formatted(refuse.gang(), refuse.code(), refuse.message()));
    }
    return lines;
  }

  private static String kept(ClusterId gang, Claim claim) {
    return "  kept for %s until %s: %s".formatted(gang, claim.until(), names(claim.nodes()));
  }

  private static String ranks(List<Integer> ranks) {
    String numbers = ranks.stream().map(Object::toString).collect(Collectors.joining(", "));
    return (ranks.size() == 1 ? "rank " : "ranks ") + numbers;
  }

  private static String list(List<ClusterId> gangs) {
    return NamePattern.shorten(gangs.stream().map(ClusterId::value).toList());
  }

  private static void reasons(List<WaitReason> reasons, List<String> lines) {
    reasons.forEach(reason -> lines.add("  " + reason));
  }

  private static String names(List<NodeId> nodes) {
    return NamePattern.shorten(nodes.stream().map(NodeId::value).toList());
  }
}
