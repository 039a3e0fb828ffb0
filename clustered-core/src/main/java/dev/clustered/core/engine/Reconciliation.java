// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.model.NodeId;
import dev.clustered.model.Orphan;
import dev.clustered.model.PoolNode;
import dev.clustered.spi.Instance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares what the engine holds with what its backends list under its label. What is listed and
 * not held is ended. What is held and not listed is only unknown, since lists lag: it counts as
 * lost when several lists in a row lack it and its agent is silent too. Owned by the loop's thread.
 */
final class Reconciliation {

  /** Lists are among the slowest and most throttled calls of a cloud. */
  private static final Duration BETWEEN = Duration.ofSeconds(30);

  /** How many lists in a row must lack a node. */
  private static final int AGREEING = 3;

  /** How long a list may have what has ended. */
  private static final Duration LAG = Duration.ofMinutes(2);

  /** How many orphans are remembered. */
  private static final int MOST_ORPHANS = 1_000;

  private final EngineCore core;
  private final Timers timers;
  private final Duration silenceLimit;

  /** How many lists in a row lacked a node. */
  private final Map<NodeId, Integer> missing = new TreeMap<>();

  /** Instances that a backend has been told to end, by backend and identity. */
  private final TreeSet<String> ending = new TreeSet<>();

  /** Nodes that have ended, and when: a list may have them a while longer. */
  private final Map<NodeId, Instant> ended = new TreeMap<>();

  private final Deque<Orphan> found = new ArrayDeque<>();
  private volatile List<Orphan> orphans = List.of();

  Reconciliation(EngineCore core, Timers timers, Duration silenceLimit) {
    this.core = core;
    this.timers = timers;
    this.silenceLimit = silenceLimit;
  }

  /** What was found so far, the newest last; may be read from any thread. */
  List<Orphan> orphans() {
    return orphans;
  }

  /** Lists after a time, and then again and again. */
  void begin(Duration first) {
    timers.after(first, ignored -> list());
  }

  private void list() {
    timers.after(BETWEEN, ignored -> list());
    core.effect(Reach::list);
  }

  /** Nodes were given back for sure. */
  void nodesEnded(List<NodeId> nodes) {
    nodes.forEach(node -> ended.put(node, core.now()));
  }

  /** Takes in all that a backend has under the engine's label. */
  void listed(String backend, List<Instance> instances) {
    Instant past = core.now().minus(LAG);
    ended.values().removeIf(at -> at.isBefore(past));
    List<Instance> orphaned = new ArrayList<>();
    TreeSet<NodeId> present = new TreeSet<>();
    for (Instance instance : instances) {
      Optional<NodeLife> held = core.state.node(instance.node());
      boolean known = held.filter(node -> node.instance().equals(instance.id())).isPresent();
      if (instance.state() == Instance.State.ENDED) {
        if (known) {
          gone(held.orElseThrow(), "its backend says that it has ended");
        }
      } else if (known) {
        present.add(instance.node());
      } else if (!core.state.launches.containsKey(instance.launch())
          && !ended.containsKey(instance.node())) {
        orphaned.add(instance);
      }
    }
    end(backend, orphaned);
    core.state.nodes.values().stream()
        .filter(node -> node.offer().backend().equals(backend))
        .toList()
        .forEach(node -> count(node, present.contains(node.id())));
    missing.keySet().removeIf(node -> !core.state.nodes.containsKey(node));
  }

  private void end(String backend, List<Instance> orphaned) {
    List<Instance> fresh =
        orphaned.stream().filter(one -> ending.add(backend + " " + one.id())).toList();
    if (fresh.isEmpty()) {
      return;
    }
    for (Instance instance : fresh) {
      found.addLast(
          new Orphan(
              backend,
              instance.id(),
              instance.node(),
              instance.launch(),
              core.now(),
              Optional.empty()));
    }
    while (found.size() > MOST_ORPHANS) {
      found.removeFirst();
    }
    orphans = List.copyOf(found);
    List<String> ids = fresh.stream().map(Instance::id).toList();
    core.effect(reach -> reach.terminateOrphans(backend, ids));
  }

  /** A backend says that these are gone. */
  void ended(String backend, List<String> instances) {
    instances.forEach(instance -> ending.remove(backend + " " + instance));
    List<Orphan> all = List.copyOf(found);
    found.clear();
    for (Orphan orphan : all) {
      boolean now =
          orphan.backend().equals(backend)
              && instances.contains(orphan.instance())
              && orphan.endedAt().isEmpty();
      found.addLast(
          now
              ? new Orphan(
                  backend,
                  orphan.instance(),
                  orphan.node(),
                  orphan.launch(),
                  orphan.foundAt(),
                  Optional.of(core.now()))
              : orphan);
    }
    orphans = List.copyOf(found);
  }

  private void count(NodeLife node, boolean present) {
    if (present || isHeard(node)) {
      missing.remove(node.id());
      return;
    }
    int times = missing.merge(node.id(), 1, Integer::sum);
    if (times >= AGREEING) {
      gone(node, "its backend has not listed it for %d times".formatted(times));
    }
  }

  private void gone(NodeLife node, String why) {
    if (!isHeard(node)) {
      core.nodeLost(node.id(), why + " and its agent is silent");
    }
  }

  private boolean isHeard(NodeLife node) {
    return node.state() == PoolNode.State.READY
        && core.silence(node.id()).compareTo(silenceLimit) < 0;
  }
}
