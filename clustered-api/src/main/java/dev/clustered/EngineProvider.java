// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterSpec;

/**
 * How {@link Clusters} finds the engine: implemented by clustered-core alone and found by {@link
 * java.util.ServiceLoader}. Implementations are stateless and thread-safe.
 */
public interface EngineProvider {

  /** A builder of an engine. */
  ClusterEngine.Builder engine();

  /** A launch whose engine opens at its terminal call and closes with its cluster. */
  Launch launchAlone(ClusterSpec spec);
}
