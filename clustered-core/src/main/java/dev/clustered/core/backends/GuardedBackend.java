// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.backends;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Offer;
import dev.clustered.spi.Backend;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.spi.Notice;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backend whose every call has a time limit and fails with a {@link ClusterException} only.
 * Thread-safe.
 */
public final class GuardedBackend implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(GuardedBackend.class);

  private final String name;
  private final Backend backend;
  private final Duration limit;

  GuardedBackend(String name, Backend backend, Duration limit) {
    this.name = name;
    this.backend = backend;
    this.limit = limit;
  }

  /** The backend's name. */
  public String name() {
    return name;
  }

  /** Whether it can do something. */
  public boolean has(Feature feature) {
    return backend.features().contains(feature);
  }

  /** See {@link CapacityProvider#offers}. */
  public List<Offer> offers() throws InterruptedException {
    return List.copyOf(guard("list its offers", () -> backend.capacity().offers()));
  }

  /** See {@link CapacityProvider#launch}; an answer of the wrong length is a failure. */
  public List<Instance> launch(LaunchRequest request) throws InterruptedException {
    List<Instance> instances =
        List.copyOf(guard("launch " + request.id(), () -> backend.capacity().launch(request)));
    if (instances.size() != request.nodes().size()) {
      terminate(instances.stream().map(Instance::id).toList());
      throw new ClusterException(
          ErrorCode.BACKEND_FAILED,
          "the backend \"%s\" answered launch %s of %d nodes with %d instances; they were terminated"
              .formatted(name, request.id(), request.nodes().size(), instances.size()));
    }
    return instances;
  }

  /** See {@link CapacityProvider#list}. */
  public List<Instance> list(String owner) throws InterruptedException {
    return List.copyOf(guard("list its instances", () -> backend.capacity().list(owner)));
  }

  /** See {@link CapacityProvider#terminate}. */
  public void terminate(Collection<String> instances) throws InterruptedException {
    guard(
        "terminate " + instances.size() + " instances",
        () -> {
          backend.capacity().terminate(instances);
          return name;
        });
  }

  /** See {@link CapacityProvider#notices}; a failure is no notice. */
  public List<Notice> notices() {
    try {
      return List.copyOf(backend.capacity().notices());
    } catch (RuntimeException e) {
      log.debug("No notices backend={}", name, e);
      return List.of();
    }
  }

  private <T> T guard(String what, Callable<T> call) throws InterruptedException {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = Thread.ofVirtual().name("clustered-backend-" + name).start(task);
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      thread.interrupt();
      thread.join();
      throw e;
    } catch (TimeoutException e) {
      thread.interrupt();
      throw new ClusterException(
          ErrorCode.BACKEND_FAILED,
          "the backend \"%s\" did not %s within %s".formatted(name, what, limit),
          e);
    } catch (ExecutionException e) {
      throw translated(what, e.getCause() == null ? e : e.getCause());
    }
  }

  private ClusterException translated(String what, Throwable failure) {
    if (failure instanceof ClusterException known) {
      return known;
    }
    if (failure instanceof Error error) {
      log.warn("A backend failed with an error backend={}", name, error);
    }
    return new ClusterException(
        ErrorCode.BACKEND_FAILED,
        "the backend \"%s\" failed to %s: %s".formatted(name, what, failure),
        failure);
  }

  @Override
  public void close() {
    backend.close();
  }
}
