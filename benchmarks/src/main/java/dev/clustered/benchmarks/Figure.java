// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.Optional;

/**
 * One result of a suite. Immutable.
 *
 * @param name the figure's name, stable over runs
 * @param value what was measured
 * @param unit the unit of value, bar and peer's value
 * @param better which direction is better
 * @param bar what the value has to reach, if anything
 * @param peer what was measured beside it in the same run, if anything
 * @param peerValue the peer's value
 * @param note spread and circumstances, for people
 */
@JsonInclude(Include.NON_ABSENT)
@JsonPropertyOrder({"name", "value", "unit", "better", "bar", "peer", "peerValue", "ratio"})
public record Figure(
    String name,
    double value,
    String unit,
    Better better,
    Optional<Double> bar,
    Optional<String> peer,
    Optional<Double> peerValue,
    @JsonIgnore String note) {

  /** A direction. */
  public enum Better {
    @JsonProperty("lower")
    LOWER,
    @JsonProperty("higher")
    HIGHER
  }

  /** A figure without bar and peer of which less is better. */
  public static Figure lower(String name, double value, String unit, String note) {
    return new Figure(
        name,
        value,
        unit,
        Better.LOWER,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        note);
  }

  /** A figure without bar and peer of which more is better. */
  public static Figure higher(String name, double value, String unit, String note) {
    return new Figure(
        name,
        value,
        unit,
        Better.HIGHER,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        note);
  }

  /** The same with a bar to reach. */
  public Figure withBar(double limit) {
    return new Figure(name, value, unit, better, Optional.of(limit), peer, peerValue, note);
  }

  /** The same with a peer's value beside it. */
  public Figure withPeer(String who, double theirs) {
    return new Figure(name, value, unit, better, bar, Optional.of(who), Optional.of(theirs), note);
  }

  /** Ours over theirs. */
  @JsonProperty("ratio")
  public Optional<Double> ratio() {
    return peerValue.map(theirs -> value / theirs);
  }

  /** Whether the bar is reached; true without one. */
  @JsonIgnore
  public boolean reached() {
    return bar.map(limit -> better == Better.LOWER ? value <= limit : value >= limit).orElse(true);
  }
}
