// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.spi.Setting;
import dev.clustered.testkit.ForwardedCapacity;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A local backend whose capacity, or launches alone, a test changes. */
final class ChangedBackend implements BackendFactory {

  private final BackendFactory real;
  private final UnaryOperator<CapacityProvider> change;

  ChangedBackend(LocalBackend.Builder real, UnaryOperator<CapacityProvider> change) {
    this.real = real.factory();
    this.change = change;
  }

  ChangedBackend(LocalBackend.Builder real, Launches launches) {
    this(real, capacity -> new Capacity(capacity, launches));
  }

  /** What becomes of a launch. */
  interface Launches {
    /** Launches by the real backend, or otherwise. */
    List<Instance> launch(CapacityProvider real, LaunchRequest request) throws InterruptedException;
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public List<Setting> settings() {
    return real.settings();
  }

  @Override
  public Backend create(BackendContext context) {
    Backend backend = real.create(context);
    return new Backend() {
      @Override
      public Set<Feature> features() {
        return backend.features();
      }

      @Override
      public CapacityProvider capacity() {
        return change.apply(backend.capacity());
      }

      @Override
      public void close() {
        backend.close();
      }
    };
  }

  private static final class Capacity extends ForwardedCapacity {
    private final CapacityProvider real;
    private final Launches launches;

    Capacity(CapacityProvider real, Launches launches) {
      super(real);
      this.real = real;
      this.launches = launches;
    }

    @Override
    public List<Instance> launch(LaunchRequest request) throws InterruptedException {
      return launches.launch(real, request);
    }
  }
}
