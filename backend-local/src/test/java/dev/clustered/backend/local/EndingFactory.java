// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Instance;
import dev.clustered.spi.Setting;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A factory of backends that end every node of the contracts' owners before they close, as the
 * engine does with the nodes that are not to stay.
 */
record EndingFactory(BackendFactory factory) implements BackendFactory {

  @Override
  public String name() {
    return factory.name();
  }

  @Override
  public List<Setting> settings() {
    return factory.settings();
  }

  @Override
  public Backend create(BackendContext context) {
    return new EndingBackend(factory.create(context));
  }

  private record EndingBackend(Backend backend) implements Backend {

    @Override
    public Set<Feature> features() {
      return backend.features();
    }

    @Override
    public CapacityProvider capacity() {
      return backend.capacity();
    }

    @Override
    public void close() {
      try {
        CapacityProvider capacity = backend.capacity();
        List<String> left =
            Stream.concat(capacity.list("owner-a").stream(), capacity.list("owner-b").stream())
                .map(Instance::id)
                .toList();
        capacity.terminate(left);
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted while nodes were ended", e);
      } finally {
        backend.close();
      }
    }
  }
}
