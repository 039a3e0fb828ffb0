// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.control.Certificate;
import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.spi.StateStore;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Configurations of engines in tests. */
final class Configs {

  private static final Certificate CERTIFICATE =
      Certificate.create(Instant.EPOCH, new SecureRandom());

  private Configs() {}

  /** The defaults, with a journal in memory. */
  static EngineConfig of(Path directory) {
    return of(directory, new MemoryStore(), InstantSource.system(), EngineKey.random(), 1);
  }

  static EngineConfig of(
      Path directory, StateStore store, InstantSource clock, EngineKey key, long epoch) {
    return new EngineConfig(
        new EngineIdentity("owner", key, CERTIFICATE, 0),
        epoch,
        directory,
        Optional.empty(),
        Optional.empty(),
        clock,
        store,
        List.of(),
        Duration.ZERO,
        Duration.ofSeconds(15),
        Duration.ofSeconds(60),
        21_000,
        28_999);
  }
}
