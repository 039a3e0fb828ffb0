// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.ClusterEvent;

/** Those who listen to clusters and wait for them. Called on the loop's thread; never blocks. */
interface Callers {

  /** Something happened. */
  void tell(ClusterRecord cluster, ClusterEvent event);

  /** The workload runs on every rank. */
  void ready(ClusterRecord cluster);

  /** Nothing of an attempt is written any more. */
  void attemptOver(ClusterRecord cluster, int attempt);

  /** Nothing of the workload runs any more. */
  void exit(ClusterRecord cluster);

  /** The cluster holds nothing any more. */
  void ended(ClusterRecord cluster);

  /** The cluster ended so long ago that it is not remembered any more. */
  void forgotten(ClusterRecord cluster);
}
