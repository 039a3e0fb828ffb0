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
 */
public record BackendContext(Map<String, String> settings, InstantSource clock, Path directory) {

  public BackendContext {
    settings = Map.copyOf(settings);
  }
}
