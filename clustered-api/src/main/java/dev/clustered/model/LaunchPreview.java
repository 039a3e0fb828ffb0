// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What would become of a launch that was begun at this moment. Nothing is kept for it, so it is no
 * promise. {@code toString} is a few sentences. Immutable and thread-safe.
 *
 * @param outcome what would be done first
 * @param nodes what the gang would hold, by shape; empty when it waits or is refused
 * @param hourlyPrice what all these nodes cost in an hour, whole, also where the gang takes a part
 *     of them, in the currency of the backend's bill; zero when there are none
 * @param bootTime how long it usually takes until nodes that would be launched report; empty when
 *     none would be
 * @param expectedStart when the gang would have its nodes, if all that is known comes true and
 *     nobody else launches anything; empty when nobody can tell
 * @param reasons why it would wait, with numbers; empty when it would not
 * @param refusal why it can never be; empty when it can
 * @param change the cheapest change with which it would start now; empty when none is needed or
 *     none was found
 */
public record LaunchPreview(
    Outcome outcome,
    List<Nodes> nodes,
    BigDecimal hourlyPrice,
    Optional<Duration> bootTime,
    Optional<Instant> expectedStart,
    List<WaitReason> reasons,
    Optional<Refusal> refusal,
    Optional<StartChange> change) {

  /** What would be done first for the gang. */
  public enum Outcome {
    /** It gets nodes of the pool at once. */
    PLACE,
    /** Nodes are launched for it at once. */
    LAUNCH,
    /** Others are moved for it at once, and it gets what they leave. */
    MIGRATE,
    /** Others are ended for it at once, and it gets what they leave. */
    PREEMPT,
    /** Nothing at once. */
    WAIT,
    /** Nothing ever: the launch would fail. */
    REFUSE
  }

  /**
   * Nodes of one shape in one zone.
   *
   * @param count how many; 1 or more
   * @param hourlyPrice of one of them
   */
  public record Nodes(
      String backend, String zone, String shape, int count, BigDecimal hourlyPrice) {
    @Override
    public String toString() {
      return "%d × %s in zone %s of %s".formatted(count, shape, zone, backend);
    }
  }

  /** Why a launch fails. */
  public record Refusal(ErrorCode code, String message) {
    @Override
    public String toString() {
      return code + ": " + message;
    }
  }

  public LaunchPreview {
    nodes = List.copyOf(nodes);
    reasons = List.copyOf(reasons);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(first());
    if (!nodes.isEmpty()) {
      text.append(nodes.stream().map(Nodes::toString).collect(Collectors.joining(", ", ": ", "")));
      text.append(", ").append(hourlyPrice).append(" per hour");
    }
    refusal.ifPresent(why -> text.append(": ").append(why));
    bootTime.ifPresent(time -> text.append("; they boot in ").append(time));
    if (outcome != Outcome.PLACE && outcome != Outcome.REFUSE) {
      text.append(expectedStart.map(at -> "; it starts at " + at).orElse("; its start is unknown"));
    }
    reasons.forEach(reason -> text.append("; ").append(reason));
    change.ifPresent(other -> text.append("; ").append(other));
    return text.toString();
  }

  private String first() {
    return switch (outcome) {
      case PLACE -> "starts now on nodes of the pool";
      case LAUNCH -> "launches nodes now";
      case MIGRATE -> "moves others now";
      case PREEMPT -> "ends others now";
      case WAIT -> "waits";
      case REFUSE -> "is refused";
    };
  }
}
