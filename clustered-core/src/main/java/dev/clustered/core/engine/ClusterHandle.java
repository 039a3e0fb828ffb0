// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.Cluster;
import dev.clustered.ExecRequest;
import dev.clustered.ExecResult;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.RemoteProcess;
import dev.clustered.core.engine.exec.ExecOutput;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.FabricReport;
import dev.clustered.model.Node;
import dev.clustered.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A running or ended cluster as users see it. */
final class ClusterHandle implements Cluster {

  /** The most bytes of an output of a command that wait for their reader. */
  private static final int STREAM_BYTES = 1 << 20;

  private final Engine engine;
  private final ClusterRecord cluster;

  ClusterHandle(Engine engine, ClusterRecord cluster) {
    this.engine = engine;
    this.cluster = cluster;
  }

  @Override
  public ClusterId id() {
    return cluster.id;
  }

  @Override
  public ClusterSpec spec() {
    return cluster.life.request().spec();
  }

  @Override
  public ClusterState state() {
    return cluster.life.state();
  }

  @Override
  public int attempt() {
    return cluster.life.attempt();
  }

  @Override
  public List<Node> nodes() {
    return cluster.nodes;
  }

  @Override
  public Node leader() {
    return cluster.nodes.getFirst();
  }

  @Override
  public Optional<FabricReport> fabric() {
    return engine.fabric(cluster);
  }

  @Override
  public LogStream logs(LogQuery query) {
    return ClusterLogs.of(engine.logs(), cluster, query);
  }

  @Override
  public ExecResult exec(int rank, List<String> command, Duration limit)
      throws InterruptedException {
    return new ExecCapture(engine.execs()).run(cluster, rank, command, limit);
  }

  @Override
  public RemoteProcess exec(int rank, ExecRequest request) {
    return engine.execs().start(cluster, rank, request, streamed(), streamed());
  }

  private static ExecOutput streamed() {
    return new ExecOutput(STREAM_BYTES, () -> {});
  }

  @Override
  public Usage usage() {
    return engine.usage(cluster.id);
  }

  @Override
  public ClusterExit join() throws InterruptedException {
    return Waiting.interruptibly(cluster.exit);
  }

  @Override
  public CompletableFuture<ClusterExit> exit() {
    return cluster.exit.copy();
  }

  @Override
  public <T> List<T> results(Class<T> type) throws InterruptedException {
    ClusterExit exit = join();
    if (!exit.success()) {
      throw new ClusterException(
          exit.cause().map(cause -> cause.code()).orElse(ErrorCode.RANK_FAILED),
          "cluster %s has no results: %s"
              .formatted(
                  cluster.id, exit.cause().map(cause -> cause.message()).orElse("it failed")));
    }
    return Results.of(spec(), exit, type);
  }

  @Override
  public void stop(Duration grace) {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("the grace is zero or more; received: " + grace);
    }
    engine.stop(cluster, grace, "it was stopped");
  }

  @Override
  public void close() {
    engine.stop(cluster, spec().grace(), "it was closed");
  }

  @Override
  public String toString() {
    return "cluster %s (%s, %s)".formatted(cluster.id, spec().name(), state());
  }
}
