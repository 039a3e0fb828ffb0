// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * The identity of one capacity launch: the unit that a backend grants whole or not at all.
 * Immutable and thread-safe.
 *
 * @param value lower-case letters, digits and hyphens; at most 63 characters, so that it fits a
 *     label of every cloud
 */
public record LaunchId(String value) implements Comparable<LaunchId> {

  public LaunchId {
    Names.requireIdentifier("LaunchId", value);
  }

  @Override
  public int compareTo(LaunchId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
