// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.Cluster;
import dev.clustered.PendingCluster;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterState;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A launch that does not run yet as users see it. */
final class PendingHandle implements PendingCluster {

  private final Engine engine;
  private final ClusterRecord cluster;

  PendingHandle(Engine engine, ClusterRecord cluster) {
    this.engine = engine;
    this.cluster = cluster;
  }

  @Override
  public ClusterId id() {
    return cluster.id;
  }

  @Override
  public ClusterState state() {
    return cluster.life.state();
  }

  @Override
  public List<WaitReason> waitingFor() {
    return cluster.life.waiting();
  }

  @Override
  public Optional<Instant> expectedStart() {
    return cluster.life.expectedStart();
  }

  @Override
  public CompletableFuture<Cluster> ready() {
    return cluster.ready.copy();
  }

  @Override
  public void cancel() {
    if (!cluster.ready.isDone()) {
      engine.stop(cluster, cluster.life.request().spec().grace(), "the launch was cancelled");
      Waiting.settled(cluster.ready);
    }
  }

  @Override
  public String toString() {
    return "pending cluster %s (%s)".formatted(cluster.id, state());
  }
}
