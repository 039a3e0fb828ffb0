// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import java.util.List;

/** Makes the backend named {@code local}. Immutable and thread-safe. */
public final class LocalBackendFactory implements BackendFactory {

  static final String NAME = "local";

  private final LocalSettings defaults;

  /** For {@link java.util.ServiceLoader}: one zone of 64 nodes, no boot time, no price. */
  public LocalBackendFactory() {
    this(LocalSettings.DEFAULTS);
  }

  LocalBackendFactory(LocalSettings defaults) {
    this.defaults = defaults;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<Setting> settings() {
    return SettingText.declare(defaults);
  }

  @Override
  public Backend create(BackendContext context) {
    LocalSettings settings = SettingText.read(defaults, context.settings());
    return new LocalBackend(
        new LocalCapacity(settings, context.directory(), hosts(settings, context)));
  }

  private static AgentHosts hosts(LocalSettings settings, BackendContext context) {
    return switch (settings.agents()) {
      case IN_PROCESS -> new InProcessHosts(context.engineDirectory(), context.clock());
      case OWN_JVM -> new OwnJvmHosts(context.engineDirectory());
    };
  }
}
