// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

/**
 * What the engine gives a backend. Immutable and thread-safe.
 *
 * @param settings the value of every setting the factory declared, defaults filled in
 * @param clock the only clock a backend reads
 * @param directory a directory of its own that is deleted when the engine closes
 * @param engineDirectory everything the engine keeps for its own life, {@code directory} included;
 *     a backend whose guard outlives a killed JVM of the host deletes it, since nobody else can
 */
public record BackendContext(
    Map<String, String> settings, InstantSource clock, Path directory, Path engineDirectory) {

  public BackendContext {
    settings = Map.copyOf(settings);
  }

  /** A context without anything outside the backend's own directory. */
  public BackendContext(Map<String, String> settings, InstantSource clock, Path directory) {
    this(settings, clock, directory, directory);
  }
}
