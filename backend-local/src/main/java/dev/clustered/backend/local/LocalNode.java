// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.Instance;
import dev.clustered.spi.Instance.State;
import dev.clustered.spi.LaunchRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * One instance: a place in a zone, and once booted an address, a directory and an agent.
 * Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the future returned is of no interest
final class LocalNode {

  private final String id;
  private final LaunchRequest request;
  private final LaunchRequest.Bootstrap bootstrap;
  private final LocalZone.Place place;
  private final Path directory;

  private final ReentrantLock lock = new ReentrantLock();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private State state = State.PENDING;
  private LoopbackAddresses.@Nullable Held address;
  private @Nullable AgentHost host;
  private @Nullable CompletableFuture<Void> ending;

  LocalNode(
      String id,
      LaunchRequest request,
      LaunchRequest.Bootstrap bootstrap,
      LocalZone.Place place,
      Path directory) {
    this.id = id;
    this.request = request;
    this.bootstrap = bootstrap;
    this.place = place;
    this.directory = directory;
  }

  String id() {
    return id;
  }

  /** Completed when nothing is left. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  /** The node as the engine sees it now. */
  Instance instance() {
    lock.lock();
    try {
      return new Instance(
          id,
          bootstrap.node(),
          request.id(),
          request.owner(),
          request.offer(),
          place.topology(),
          address == null ? List.of() : List.of(address.literal()),
          ended.isDone() ? State.ENDED : state);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts the agent. What a failure leaves is given back by {@link #end}.
   *
   * @param onLoss told with the evidence when the agent ends although nobody asked for it
   */
  void boot(LoopbackAddresses addresses, AgentHosts hosts, BiConsumer<LocalNode, String> onLoss) {
    lock.lock();
    try {
      if (state != State.PENDING) {
        throw failure(ErrorCode.LAUNCH_FAILED, "was terminated while it booted", null);
      }
      AgentBootstrap birth = birth();
      Directories.createPrivate(directory);
      address = addresses.hold();
      host = hosts.start(birth, directory, address.literal());
      state = State.RUNNING;
      host.ended().thenAccept(evidence -> lost(evidence, onLoss));
    } catch (IOException e) {
      throw failure(ErrorCode.LAUNCH_FAILED, "could not boot in " + directory, e);
    } finally {
      lock.unlock();
    }
  }

  private AgentBootstrap birth() {
    try {
      return Json.mapper().readValue(bootstrap.document(), AgentBootstrap.class);
    } catch (JacksonException e) {
      // The cause is left out because it may quote the document, which holds a secret.
      throw failure(ErrorCode.LAUNCH_FAILED, "has a bootstrap that is no AgentBootstrap", null);
    }
  }

  private void lost(String evidence, BiConsumer<LocalNode, String> onLoss) {
    if (instance().state() == State.RUNNING) {
      onLoss.accept(this, evidence);
    }
  }

  /**
   * Begins the end, unless it has begun; a failed one begins again.
   *
   * @return completed when nothing is left
   */
  CompletableFuture<Void> end(Executor executor) {
    lock.lock();
    try {
      if (ending == null || ending.isCompletedExceptionally()) {
        state = State.ENDING;
        ending = CompletableFuture.runAsync(() -> giveBack(host, address), executor);
      }
      return ending;
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(@Nullable AgentHost runs, LoopbackAddresses.@Nullable Held holds) {
    if (runs != null) {
      runs.close();
    }
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      throw failure(ErrorCode.BACKEND_FAILED, "left files in " + directory, e);
    }
    if (holds != null) {
      holds.close();
    }
    place.giveBack();
    ended.complete(null);
  }

  private ClusterException failure(ErrorCode code, String what, @Nullable Exception cause) {
    String message = "node " + bootstrap.node() + " (" + id + ") of backend local " + what;
    return cause == null
        ? new ClusterException(code, message)
        : new ClusterException(code, message + ": " + cause.getMessage(), cause);
  }
}
