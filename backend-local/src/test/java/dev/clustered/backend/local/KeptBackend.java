// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Setting;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One local backend for several engines, one after another, which its nodes outlive. */
final class KeptBackend implements BackendFactory, AutoCloseable {

  private final BackendFactory real;
  private final Path directory;
  private Optional<Backend> kept = Optional.empty();

  KeptBackend(LocalBackend.Builder real, Path directory) {
    this.real = real.factory();
    this.directory = directory;
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public List<Setting> settings() {
    return real.settings();
  }

  /** What the engines use. */
  synchronized Backend backend(Map<String, String> settings, BackendContext context) {
    if (kept.isEmpty()) {
      kept = Optional.of(real.create(new BackendContext(settings, context.clock(), directory)));
    }
    return kept.get();
  }

  @Override
  public Backend create(BackendContext context) {
    Backend backend = backend(context.settings(), context);
    return new Backend() {
      @Override
      public Set<Feature> features() {
        Set<Feature> features = EnumSet.copyOf(backend.features());
        features.add(Feature.OUTLIVING_NODES);
        return features;
      }

      @Override
      public CapacityProvider capacity() {
        return backend.capacity();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public synchronized void close() {
    kept.ifPresent(Backend::close);
  }
}
