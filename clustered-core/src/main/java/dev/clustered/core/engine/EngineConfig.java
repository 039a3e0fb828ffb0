// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.ClusterListener;
import dev.clustered.spi.StateStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * What an engine is opened with. Immutable.
 *
 * @param owner the label on everything the engine launches
 * @param directory the engine's own directory, deleted when it closes
 */
public record EngineConfig(
    String owner,
    Path directory,
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

  /** Where logs are written. */
  public Path logs() {
    return logDirectory.orElse(directory.resolve("logs"));
  }
}
