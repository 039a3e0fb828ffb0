// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static dev.clustered.core.lifecycle.ClusterLife.Purpose.SPARES;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.spi.Instance;
import java.util.List;
import java.util.Optional;

/** What becomes of launches that a backend has answered. Owned by the loop's thread. */
final class Launches {

  private final EngineCore core;
  private final NodeBook book;
  private final Watches watches;
  private final Scheduling scheduling;

  Launches(EngineCore core, NodeBook book, Watches watches, Scheduling scheduling) {
    this.core = core;
    this.book = book;
    this.watches = watches;
    this.scheduling = scheduling;
  }

  void granted(Fact.LaunchDecided decided, List<Instance> instances) {
    if (!core.state.launches.containsKey(decided.launch())) {
      return; // Answered before: a launch may be repeated.
    }
    core.state.cluster(decided.cluster()).ifPresent(cluster -> cluster.spares.granted());
    List<Fact.Granted> granted =
        instances.stream().map(i -> new Fact.Granted(i.node(), i.id(), i.topology())).toList();
    core.record(book.grant(decided, granted, core.now()));
    watches.booting(decided.nodes(), decided.offer().bootTime());
    for (NodeId node : decided.nodes()) {
      Optional.ofNullable(core.state.earlyJoins.remove(node))
          .ifPresent(from -> core.joined(node, from));
    }
    scheduling.changed();
  }

  void failed(Fact.LaunchDecided decided, ErrorCode code, String message) {
    if (!core.state.launches.containsKey(decided.launch())) {
      return;
    }
    decided.nodes().forEach(core::forget);
    core.state
        .cluster(decided.cluster())
        .filter(c -> c.life.purpose(decided.launch()).filter(SPARES::equals).isPresent())
        .ifPresent(scheduling::spareFailed);
    core.record(
        new Fact.LaunchFailed(decided.cluster(), core.now(), decided.launch(), code, message));
    if (code != ErrorCode.CANCELLED) { // That one says nothing of the zone.
      scheduling.coolsDown();
    }
    scheduling.changed();
  }
}
