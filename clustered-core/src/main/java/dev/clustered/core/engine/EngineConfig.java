// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.ClusterListener;
import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.spi.StateStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * What an engine is opened with. Immutable.
 *
 * @param identity whom its agents and backends know it as
 * @param epoch the number of its reign: greater than that of every engine before it
 * @param directory the engine's own directory, deleted when it closes
 * @param stateDirectory what stays, for an engine that goes on with the clusters of this one
 */
public record EngineConfig(
    EngineIdentity identity,
    long epoch,
    Path directory,
    Optional<Path> stateDirectory,
    Optional<Path> logDirectory,
    InstantSource clock,
    StateStore store,
    List<ClusterListener> listeners,
    Duration idleNodeTime,
    Duration silenceLimit,
    Duration lease,
    int firstPort,
    int lastPort) {

  public EngineConfig {
    listeners = List.copyOf(listeners);
  }

  /** The label on everything the engine launches. */
  String owner() {
    return identity.owner();
  }

  /** The engine's secret. */
  EngineKey key() {
    return identity.key();
  }

  /** Where logs are written. */
  public Path logs() {
    return logDirectory.orElse(stateDirectory.orElse(directory).resolve("logs"));
  }
}
