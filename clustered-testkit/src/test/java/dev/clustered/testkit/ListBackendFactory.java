// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import java.util.List;
import java.util.Locale;

/** Makes a {@link ListBackend}; its one setting is the flaw. */
final class ListBackendFactory implements BackendFactory {

  @Override
  public String name() {
    return "list";
  }

  @Override
  public List<Setting> settings() {
    return List.of(new Setting("flaw", "none", "What it does wrong.", Setting.Visibility.PLAIN));
  }

  @Override
  public Backend create(BackendContext context) {
    context.settings().keySet().stream().filter(key -> !key.equals("flaw")).forEach(this::refuse);
    String flaw = context.settings().getOrDefault("flaw", "none");
    try {
      return new ListBackend(ListBackend.Flaw.valueOf(flaw.toUpperCase(Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      throw new ClusterException(
          ErrorCode.INVALID_SETTING, "the setting flaw has no value " + flaw, e);
    }
  }

  private void refuse(String key) {
    throw new ClusterException(ErrorCode.INVALID_SETTING, "there is no setting " + key);
  }
}
