// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.Cluster;
import dev.clustered.ClusterListener;
import dev.clustered.Launch;
import dev.clustered.PendingCluster;
import dev.clustered.core.lifecycle.Lifetime;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.RdmaOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A launch to be made on an engine that its host supplies at the terminal call. Immutable. */
public record LaunchRequestForm(
    LaunchHost host,
    ClusterSpec spec,
    Optional<RdmaOptions> rdma,
    Optional<String> backend,
    Optional<Duration> readyTimeout,
    List<ClusterListener> listeners,
    Optional<String> key,
    Lifetime lifetime)
    implements Launch {

  private static final int LONGEST_KEY = 200;

  public LaunchRequestForm {
    listeners = List.copyOf(listeners);
  }

  /** What carries out the terminal calls. */
  public interface LaunchHost {
    /** Begins the launch. */
    PendingCluster start(LaunchRequestForm form);

    /** Says what would become of the launch. */
    LaunchPreview plan(LaunchRequestForm form);
  }

  /** A launch without options. */
  public static Launch of(LaunchHost host, ClusterSpec spec) {
    return new LaunchRequestForm(
        host,
        spec,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Lifetime.ATTACHED);
  }

  @Override
  public Launch withRdma() {
    return withRdma(RdmaOptions.DEFAULT);
  }

  @Override
  public Launch withRdma(RdmaOptions options) {
    return new LaunchRequestForm(
        host, spec, Optional.of(options), backend, readyTimeout, listeners, key, lifetime);
  }

  @Override
  public Launch withBackend(String name) {
    return new LaunchRequestForm(
        host, spec, rdma, Optional.of(name), readyTimeout, listeners, key, lifetime);
  }

  @Override
  public Launch withReadyTimeout(Duration limit) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("the ready timeout is more than zero; received: " + limit);
    }
    return new LaunchRequestForm(
        host, spec, rdma, backend, Optional.of(limit), listeners, key, lifetime);
  }

  @Override
  public Launch withListener(ClusterListener listener) {
    List<ClusterListener> more = new ArrayList<>(listeners);
    more.add(listener);
    return new LaunchRequestForm(host, spec, rdma, backend, readyTimeout, more, key, lifetime);
  }

  @Override
  public Launch withIdempotencyKey(String chosen) {
    if (chosen.isEmpty() || chosen.length() > LONGEST_KEY) {
      throw new IllegalArgumentException(
          "an idempotency key has 1 to %d characters; received %d: %s"
              .formatted(
                  LONGEST_KEY,
                  chosen.length(),
                  chosen.substring(0, Math.min(chosen.length(), LONGEST_KEY))));
    }
    return new LaunchRequestForm(
        host, spec, rdma, backend, readyTimeout, listeners, Optional.of(chosen), lifetime);
  }

  @Override
  public Launch detached() {
    return new LaunchRequestForm(
        host, spec, rdma, backend, readyTimeout, listeners, key, Lifetime.DETACHED);
  }

  @Override
  public LaunchPreview plan() {
    return host.plan(this);
  }

  @Override
  public Cluster await() throws InterruptedException {
    PendingCluster pending = start();
    try {
      return Waiting.interruptibly(pending.ready());
    } catch (InterruptedException e) {
      pending.cancel();
      closeIfItRan(pending);
      throw e;
    }
  }

  @Override
  public PendingCluster start() {
    return host.start(this);
  }

  /** The interruption may have come after the cluster ran. */
  private static void closeIfItRan(PendingCluster pending) {
    if (!pending.ready().isCompletedExceptionally()) {
      Waiting.patiently(pending.ready()).close();
    }
  }
}
