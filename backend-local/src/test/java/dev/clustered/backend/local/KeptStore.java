// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.core.engine.MemoryStore;
import dev.clustered.testkit.ForwardedStore;
import java.time.Duration;
import java.util.Optional;

/** A journal that outlives the engines which write it. */
final class KeptStore extends ForwardedStore {

  private volatile Optional<Lease> leader = Optional.empty();

  KeptStore() {
    super(new MemoryStore());
  }

  @Override
  public Optional<Lease> acquire(String engine, Duration length) {
    Optional<Lease> given = super.acquire(engine, length);
    leader = given.or(() -> leader);
    return given;
  }

  /** Lets the next engine lead at once, as if the one that leads had not been heard for long. */
  void depose() {
    leader.ifPresent(this::release);
  }

  @Override
  public void close() {}
}
