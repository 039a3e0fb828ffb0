// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.ClusterEvent;
import java.time.Duration;

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

  /** The launch under way is not wanted any more. */
  record AbandonLaunch(dev.clustered.model.LaunchId launch) implements Command {}

  /** The workload runs on every rank. */
  record Ready() implements Command {}

  /** Nothing of the workload runs any more. */
  record Exit() implements Command {}

  /** Give its parts of nodes back; {@link Fact.Released} follows. */
  record Release() implements Command {}
}
