// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.wiring;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.core.engine.Engine;
import dev.clustered.core.engine.EngineConfig;
import java.util.function.LongSupplier;

/** The bindings of one engine: all explicit, no proxies for circles. */
final class EngineModule extends AbstractModule {

  private final EngineConfig config;
  private final BackendRegistry backends;

  EngineModule(EngineConfig config, BackendRegistry backends) {
    this.config = config;
    this.backends = backends;
  }

  @Override
  protected void configure() {
    binder().requireExplicitBindings();
    binder().disableCircularProxies();
    binder().requireAtInjectOnConstructors();
    binder().requireExactBindingAnnotations();
    bind(EngineConfig.class).toInstance(config);
    bind(BackendRegistry.class).toInstance(backends);
    bind(new TypeLiteral<LongSupplier>() {}).toInstance(System::nanoTime);
  }

  @Provides
  @Singleton
  Engine engine(EngineConfig opened, BackendRegistry registry, LongSupplier nanoTime) {
    return new Engine(opened, registry, nanoTime);
  }
}
