// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * The identity of one cluster, from its launch to its end and after. Immutable and thread-safe.
 *
 * @param value lower-case letters, digits and hyphens; at most 63 characters, so that it fits a
 *     label of every cloud
 */
public record ClusterId(String value) implements Comparable<ClusterId> {

  public ClusterId {
    Names.requireIdentifier("ClusterId", value);
  }

  @Override
  public int compareTo(ClusterId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
