// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.wiring;

import dev.clustered.Cluster;
import dev.clustered.ExecRequest;
import dev.clustered.ExecResult;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.RemoteProcess;
import dev.clustered.core.engine.Engine;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.FabricReport;
import dev.clustered.model.Node;
import dev.clustered.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A cluster whose engine closes with it. */
final class LoneCluster implements Cluster {

  private final Engine engine;
  private final Cluster cluster;

  LoneCluster(Engine engine, Cluster cluster) {
    this.engine = engine;
    this.cluster = cluster;
  }

  @Override
  public ClusterId id() {
    return cluster.id();
  }

  @Override
  public ClusterSpec spec() {
    return cluster.spec();
  }

  @Override
  public ClusterState state() {
    return cluster.state();
  }

  @Override
  public int attempt() {
    return cluster.attempt();
  }

  @Override
  public List<Node> nodes() {
    return cluster.nodes();
  }

  @Override
  public Node leader() {
    return cluster.leader();
  }

  @Override
  public Optional<FabricReport> fabric() {
    return cluster.fabric();
  }

  @Override
  public LogStream logs(LogQuery query) {
    return cluster.logs(query);
  }

  @Override
  public ExecResult exec(int rank, List<String> command, Duration limit)
      throws InterruptedException {
    return cluster.exec(rank, command, limit);
  }

  @Override
  public RemoteProcess exec(int rank, ExecRequest request) {
    return cluster.exec(rank, request);
  }

  @Override
  public Usage usage() {
    return cluster.usage();
  }

  @Override
  public ClusterExit join() throws InterruptedException {
    return cluster.join();
  }

  @Override
  public CompletableFuture<ClusterExit> exit() {
    return cluster.exit();
  }

  @Override
  public <T> List<T> results(Class<T> type) throws InterruptedException {
    return cluster.results(type);
  }

  @Override
  public void stop(Duration grace) {
    cluster.stop(grace);
  }

  @Override
  public void close() {
    try {
      cluster.close();
    } finally {
      engine.close();
    }
  }

  @Override
  public String toString() {
    return cluster.toString();
  }
}
