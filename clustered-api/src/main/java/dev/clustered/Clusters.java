// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import java.util.ServiceLoader;

/**
 * The entry: a cluster in one call, or an engine for many. Stateless and thread-safe.
 *
 * <pre>{@code
 * try (Cluster cluster = Clusters.launch(spec).withRdma().await()) {
 *   ClusterExit exit = cluster.join();
 * }
 * }</pre>
 */
public final class Clusters {

  private Clusters() {}

  /**
   * A launch with an engine of its own, which is closed together with the cluster. Nothing happens
   * before {@link Launch#await} or {@link Launch#start}.
   */
  public static Launch launch(ClusterSpec spec) {
    return provider(Thread.currentThread().getContextClassLoader()).launchAlone(spec);
  }

  /** An engine with all discovered backends and defaults. */
  public static ClusterEngine open() {
    return engine().open();
  }

  /** An engine to be configured. */
  public static ClusterEngine.Builder engine() {
    return provider(Thread.currentThread().getContextClassLoader()).engine();
  }

  private static EngineProvider provider(ClassLoader loader) {
    return ServiceLoader.load(EngineProvider.class, loader)
        .findFirst()
        .or(
            () ->
                ServiceLoader.load(EngineProvider.class, Clusters.class.getClassLoader())
                    .findFirst())
        .orElseThrow(
            () ->
                new ClusterException(
                    ErrorCode.INTERNAL,
                    "no engine on the class path or module path; add the artifact"
                        + " dev.clustered:clustered-core"));
  }
}
