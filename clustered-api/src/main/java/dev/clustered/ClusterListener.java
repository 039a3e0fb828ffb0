// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterEvent;

/**
 * Hears the events of clusters, one at a time and in order, on a thread of the engine that does
 * nothing else. A slow listener delays other events and the end of {@code close()}; one that throws
 * is reported once as a warning in the log and hears the rest. Implementations need not be
 * thread-safe unless given to several engines.
 */
@FunctionalInterface
public interface ClusterListener {

  /** Something happened. */
  void on(ClusterEvent event);
}
