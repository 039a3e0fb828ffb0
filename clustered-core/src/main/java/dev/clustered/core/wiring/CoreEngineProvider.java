// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.wiring;

import dev.clustered.ClusterEngine;
import dev.clustered.EngineProvider;
import dev.clustered.Launch;
import dev.clustered.core.engine.LaunchRequestForm;
import dev.clustered.model.ClusterSpec;

/** What {@code Clusters} finds. Stateless and thread-safe. */
public final class CoreEngineProvider implements EngineProvider {

  /** What the service loader makes. */
  public CoreEngineProvider() {}

  @Override
  public ClusterEngine.Builder engine() {
    return new EngineBuilder();
  }

  @Override
  public Launch launchAlone(ClusterSpec spec) {
    return LaunchRequestForm.of(LonePending.HOST, spec);
  }
}
