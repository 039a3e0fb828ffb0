// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives identities that are unique by the engine's owner label and grow in the order they are
 * given. Thread-safe.
 */
final class Ids {

  private final String owner;
  private final AtomicLong sequence = new AtomicLong();

  Ids(String owner) {
    this.owner = owner;
  }

  /** Goes on after an identity that was given before. */
  void after(String identity) {
    String number = identity.substring(identity.lastIndexOf('-') + 1);
    sequence.accumulateAndGet(Long.parseLong(number), Math::max);
  }

  ClusterId cluster() {
    return new ClusterId("cl-" + next());
  }

  LaunchId launch() {
    return new LaunchId("la-" + next());
  }

  /** Node identities tell their launch and grow with the index. */
  List<NodeId> nodes(LaunchId launch, int count) {
    List<NodeId> nodes = new ArrayList<>();
    String base = launch.value().substring("la-".length());
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId("nd-%s-%05d".formatted(base, i)));
    }
    return nodes;
  }

  private String next() {
    return "%s-%08d".formatted(owner, sequence.incrementAndGet());
  }
}
