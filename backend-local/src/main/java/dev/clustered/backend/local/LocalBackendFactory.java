// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import java.nio.file.Path;
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
    AgentHosts hosts = hosts(settings, context);
    Path directory =
        hosts instanceof OutlivingHosts outliving ? outliving.root() : context.directory();
    try {
      return new LocalBackend(
          new LocalCapacity(settings, directory, hosts, context.clock()), settings.agents());
    } catch (RuntimeException e) {
      hosts.close();
      throw e;
    }
  }

  /** A directory of our own in the one given, in which anything may lie. */
  private static Path nodes(LocalSettings settings) {
    return settings
        .directory()
        .orElseThrow(
            () ->
                new ClusterException(
                    ErrorCode.INVALID_SETTING,
                    "backend local needs the setting directory where agents are outliving; give an"
                        + " absolute path that stays, so that the next program finds the nodes"
                        + " there"))
        .resolve("clustered-nodes");
  }

  private static AgentHosts hosts(LocalSettings settings, BackendContext context) {
    return switch (settings.agents()) {
      case IN_PROCESS -> new InProcessHosts(context.engineDirectory(), context.clock());
      case OWN_JVM -> new OwnJvmHosts(context.engineDirectory());
      case OUTLIVING -> OutlivingHosts.open(nodes(settings));
    };
  }
}
