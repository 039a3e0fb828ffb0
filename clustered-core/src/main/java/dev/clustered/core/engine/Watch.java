// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.Command;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A time that a cluster waits for. Kept beside it, so that an engine that comes after this one goes
 * on waiting for what is left of it. Immutable.
 *
 * @param due when it is over, by the engine's clock
 * @param command what asked for it
 */
record Watch(Instant due, Command command) {

  /** The time that a command asks to wait for; empty for another command. */
  static Optional<Watch> of(Command command, Instant at) {
    Optional<Duration> limit =
        switch (command) {
          case Command.WatchReady watch -> Optional.of(watch.limit());
          case Command.WatchTimeLimit watch -> Optional.of(watch.limit());
          case Command.WatchPause watch -> Optional.of(watch.pause());
          case Command.WatchSilence watch -> Optional.of(watch.limit());
          case Command.WatchPhase watch -> Optional.of(watch.limit());
          default -> Optional.empty();
        };
    return limit.map(time -> new Watch(later(at, time), command));
  }

  /** The attempt that it is for; empty where it is for all of them. */
  OptionalInt attempt() {
    return switch (command) {
      case Command.WatchPause watch -> OptionalInt.of(watch.attempt());
      case Command.WatchSilence watch -> OptionalInt.of(watch.attempt());
      case Command.WatchPhase watch -> OptionalInt.of(watch.attempt());
      default -> OptionalInt.empty();
    };
  }

  private static Instant later(Instant at, Duration time) {
    // Nobody waits so long, and the sum must not overflow.
    Duration most = Duration.ofDays(36_500);
    return at.plus(time.compareTo(most) < 0 ? time : most);
  }

  /** What is so when the time is over. */
  Fact.OfCluster passed(ClusterId cluster, Instant at) {
    return switch (command) {
      case Command.WatchReady watch -> new Fact.ReadyTimeoutPassed(cluster, at);
      case Command.WatchTimeLimit watch -> new Fact.TimeLimitPassed(cluster, at);
      case Command.WatchPause watch -> new Fact.PauseOver(cluster, at, watch.attempt());
      case Command.WatchSilence watch -> new Fact.SilencePassed(cluster, at, watch.attempt());
      case Command.WatchPhase watch ->
          new Fact.PhaseTimeoutPassed(cluster, at, watch.state(), watch.attempt());
      default -> throw new IllegalStateException("no time to wait for: " + command);
    };
  }
}
