// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterState;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.util.List;

/** What is to be done after a fact has been journaled. */
public sealed interface Command {

  /** Tell listeners. */
  record Tell(ClusterEvent event) implements Command {}

  /** Post {@link Fact.ReadyTimeoutPassed} after a time. */
  record WatchReady(Duration limit) implements Command {}

  /** Post {@link Fact.TimeLimitPassed} after a time. */
  record WatchTimeLimit(Duration limit) implements Command {}

  /** Nothing of an attempt runs any more, and another one follows: its logs are whole. */
  record CloseAttempt(int attempt) implements Command {}

  /** Post {@link Fact.PauseOver} after a time. */
  record WatchPause(int attempt, Duration pause) implements Command {}

  /** Post {@link Fact.SilencePassed} after a time. */
  record WatchSilence(int attempt, Duration limit) implements Command {}

  /** Post {@link Fact.PhaseTimeoutPassed} after a time. */
  record WatchPhase(ClusterState state, int attempt, Duration limit) implements Command {}

  /** These nodes do not do any more what is wanted of them. */
  record LoseNodes(List<NodeId> nodes, String why) implements Command {
    public LoseNodes {
      nodes = List.copyOf(nodes);
    }
  }

  /** Give its parts of nodes back and let it wait for others. */
  record Requeue() implements Command {}

  /** The launch under way is not wanted any more. */
  record AbandonLaunch(dev.clustered.model.LaunchId launch) implements Command {}

  /** The workload runs on every rank. */
  record Ready() implements Command {}

  /** Nothing of the workload runs any more. */
  record Exit() implements Command {}

  /** Give its parts of nodes back; {@link Fact.Released} follows. */
  record Release() implements Command {}
}
