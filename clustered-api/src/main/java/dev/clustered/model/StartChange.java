// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * The cheapest change with which a gang would start now: what its owner can do before what only an
 * operator can, what ends or moves nobody before what does, and less before more. The planner was
 * asked with just that change made, so it holds as long as nothing else changes. {@code toString}
 * is a sentence. Immutable and thread-safe.
 *
 * @param change what would have to be different
 * @param start what would be done for the gang then
 */
public record StartChange(Change change, Start start) {

  /** How a gang starts. */
  public enum Start {
    /** On nodes that are free. */
    PLACE("it starts now"),
    /** On nodes that are launched for it now. */
    LAUNCH("nodes are launched for it now"),
    /** On nodes from which others are moved now. */
    MIGRATE("others are moved for it now"),
    /** On nodes of others, which end now. */
    PREEMPT("others are ended for it now");

    private final String sentence;

    Start(String sentence) {
      this.sentence = sentence;
    }
  }

  /** Whether another gang is ended or moved for it. */
  public boolean disturbsOthers() {
    return start == Start.MIGRATE || start == Start.PREEMPT || change instanceof Change.GangEnds;
  }

  @Override
  public String toString() {
    return change + ", " + start.sentence;
  }
}
