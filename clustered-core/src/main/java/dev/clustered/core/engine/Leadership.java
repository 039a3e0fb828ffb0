// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

/** Whether this engine is the one that acts. Thread-safe. */
interface Leadership {

  /**
   * Checks it.
   *
   * @throws dev.clustered.model.ClusterException with the code {@code ENGINE_DEPOSED}
   */
  void require();
}
