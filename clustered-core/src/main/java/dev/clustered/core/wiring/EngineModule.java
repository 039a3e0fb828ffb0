// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.wiring;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.core.engine.Engine;
import dev.clustered.core.engine.EngineConfig;
import dev.clustered.core.engine.Reign;
import dev.clustered.core.lifecycle.Fact;
import java.util.List;
import java.util.function.LongSupplier;

/** The bindings of one engine: all explicit, no proxies for circles. */
final class EngineModule extends AbstractModule {

  private final EngineConfig config;
  private final BackendRegistry backends;
  private final Reign reign;
  private final List<Fact> written;

  EngineModule(EngineConfig config, BackendRegistry backends, Reign reign, List<Fact> written) {
    this.config = config;
    this.backends = backends;
    this.reign = reign;
    this.written = List.copyOf(written);
  }

  @Override
  protected void configure() {
    binder().requireExplicitBindings();
    binder().disableCircularProxies();
    binder().requireAtInjectOnConstructors();
    binder().requireExactBindingAnnotations();
    bind(EngineConfig.class).toInstance(config);
    bind(BackendRegistry.class).toInstance(backends);
    bind(Reign.class).toInstance(reign);
    bind(new TypeLiteral<LongSupplier>() {}).toInstance(System::nanoTime);
  }

  @Provides
  @Singleton
  Engine engine(
      EngineConfig opened, BackendRegistry registry, LongSupplier nanoTime, Reign leading) {
    return new Engine(opened, registry, nanoTime, leading, written);
  }
}
