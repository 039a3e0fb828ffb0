// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import java.util.Set;

/** The nodes of this machine. Thread-safe. */
final class LocalBackend implements Backend {

  static final String NAME = "local";

  private final LocalCapacity capacity;

  LocalBackend(LocalOptions options, BackendContext context) {
    this.capacity = new LocalCapacity(options, new NodeHosts(options, context));
  }

  @Override
  public Set<Feature> features() {
    return Set.of(
        Feature.RDMA, Feature.SIMULATED_RDMA, Feature.HOST_VOLUMES, Feature.HOST_CLASS_PATH);
  }

  @Override
  public CapacityProvider capacity() {
    return capacity;
  }

  @Override
  public void close() {
    capacity.close();
  }
}
