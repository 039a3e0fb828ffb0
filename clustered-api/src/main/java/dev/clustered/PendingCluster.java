// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterState;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A cluster that is not running yet. Thread-safe. */
public interface PendingCluster {

  /** The identity it keeps when it runs. */
  ClusterId id();

  /** Where it is in its life. */
  ClusterState state();

  /** Why it is not placed yet, with numbers; empty when it is placed. */
  List<WaitReason> waitingFor();

  /** When it is expected to run, as far as that is known. */
  Optional<Instant> expectedStart();

  /**
   * The running cluster; fails with a {@link dev.clustered.model.ClusterException} when it cannot
   * run, after everything is released. Completing or cancelling this future has no effect on the
   * launch: {@link #cancel} has.
   */
  CompletableFuture<Cluster> ready();

  /** Gives the launch up and returns when everything is released; no effect once it runs. */
  void cancel();
}
