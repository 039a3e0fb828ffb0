// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.wiring;

import dev.clustered.Cluster;
import dev.clustered.PendingCluster;
import dev.clustered.core.engine.Engine;
import dev.clustered.core.engine.LaunchRequestForm;
import dev.clustered.core.engine.Waiting;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterState;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A launch with an engine of its own, which closes when the launch fails or its cluster closes. */
final class LonePending implements PendingCluster {

  /** Gives each launch an engine of its own. */
  static final LaunchRequestForm.LaunchHost HOST =
      new LaunchRequestForm.LaunchHost() {
        @Override
        public PendingCluster start(LaunchRequestForm form) {
          return LonePending.start(form);
        }

        @Override
        public LaunchPreview plan(LaunchRequestForm form) {
          return LonePending.plan(form);
        }
      };

  private final Engine engine;
  private final PendingCluster pending;
  private final CompletableFuture<Cluster> ready;

  private LonePending(Engine engine, PendingCluster pending) {
    this.engine = engine;
    this.pending = pending;
    this.ready = new CompletableFuture<>();
    CompletableFuture<Cluster> unused = pending.ready().whenComplete(this::settle);
  }

  private void settle(Cluster cluster, @Nullable Throwable failure) {
    if (failure == null) {
      ready.complete(new LoneCluster(engine, cluster));
      return;
    }
    engine.close();
    ready.completeExceptionally(unwrapped(failure));
  }

  static PendingCluster start(LaunchRequestForm form) {
    Engine engine = new EngineBuilder().openEngine();
    try {
      return new LonePending(engine, engine.submit(form));
    } catch (RuntimeException e) {
      engine.close();
      throw e;
    }
  }

  /** Says what would become of a launch, on an engine that is closed again. */
  static LaunchPreview plan(LaunchRequestForm form) {
    try (Engine engine = new EngineBuilder().openEngine()) {
      return engine.preview(form);
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    boolean wrapped = failure instanceof java.util.concurrent.CompletionException;
    return wrapped && failure.getCause() != null ? failure.getCause() : failure;
  }

  @Override
  public ClusterId id() {
    return pending.id();
  }

  @Override
  public ClusterState state() {
    return pending.state();
  }

  @Override
  public List<WaitReason> waitingFor() {
    return pending.waitingFor();
  }

  @Override
  public Optional<Instant> expectedStart() {
    return pending.expectedStart();
  }

  @Override
  public CompletableFuture<Cluster> ready() {
    return ready.copy();
  }

  /** Returns when the engine is closed as well; a cluster that ran before goes on. */
  @Override
  public void cancel() {
    pending.cancel();
    Waiting.settled(ready);
  }
}
