// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * The identity of one node, given by the engine when it decides to launch it. Immutable and
 * thread-safe.
 *
 * @param value lower-case letters, digits and hyphens; at most 63 characters, so that it fits a
 *     label of every cloud
 */
public record NodeId(String value) implements Comparable<NodeId> {

  public NodeId {
    Names.requireIdentifier("NodeId", value);
  }

  @Override
  public int compareTo(NodeId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
