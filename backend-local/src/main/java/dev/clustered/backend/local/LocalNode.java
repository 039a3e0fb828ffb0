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
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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
final class LocalNode {

  private final String id;
  private final LaunchRequest request;
  private final LaunchRequest.Bootstrap bootstrap;
  private final LocalZone.Place place;
  private final Path directory;

  private final ReentrantLock lock = new ReentrantLock();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private State state = State.PENDING;
  private @Nullable Path made;
  private @Nullable NodeRecord known;
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

  /** One whose agent an earlier program started, and this one has found. */
  void takeOver(
      AgentHost found,
      Optional<LoopbackAddresses.Held> held,
      NodeRecord record,
      BiConsumer<LocalNode, String> onLoss) {
    lock.lock();
    try {
      known = record;
      made = directory;
      address = held.orElse(null);
      host = found;
      state = State.RUNNING;
      Waiting.then(found.ended(), evidence -> lost(evidence, onLoss));
    } finally {
      lock.unlock();
    }
  }

  /** One that has ended before this program began. */
  void leave() {
    ended.complete(null);
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
          known == null ? List.of() : List.of(known.address()),
          ended.isDone() ? State.ENDED : state);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts the agent. What a failure leaves is given back by {@link #end}.
   *
   * @param now for the record of the node
   * @param onLoss told with the evidence when the agent ends although nobody asked for it
   */
  void boot(
      LoopbackAddresses addresses,
      AgentHosts hosts,
      Instant now,
      BiConsumer<LocalNode, String> onLoss) {
    lock.lock();
    try {
      if (state != State.PENDING) {
        throw failure(ErrorCode.LAUNCH_FAILED, "was terminated while it booted", null);
      }
      AgentBootstrap birth = birth();
      made = Directories.createPrivate(directory);
      address = addresses.hold();
      known = NodeRecord.pending(id, bootstrap.node(), request, place, address.literal(), now);
      host = hosts.start(known, birth, directory);
      state = State.RUNNING;
      Waiting.then(host.ended(), evidence -> lost(evidence, onLoss));
    } catch (IOException e) {
      throw failure(ErrorCode.LAUNCH_FAILED, "could not boot in " + directory, e);
    } finally {
      lock.unlock();
    }
  }

  /** Says that the whole launch runs. */
  void keep() {
    lock.lock();
    try {
      if (host != null && state == State.RUNNING) {
        host.keep();
      }
    } catch (IOException e) {
      throw failure(ErrorCode.LAUNCH_FAILED, "could not be put on record in " + directory, e);
    } finally {
      lock.unlock();
    }
  }

  /** Lets go of the address, and leaves the agent as it is. */
  void letGo() {
    lock.lock();
    try {
      if (address != null) {
        address.close();
      }
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
        ending = CompletableFuture.runAsync(() -> giveBack(host, made, address), executor);
      }
      return ending;
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(
      @Nullable AgentHost runs, @Nullable Path lives, LoopbackAddresses.@Nullable Held holds) {
    if (runs != null) {
      runs.close();
    }
    if (lives != null) {
      delete(lives);
    }
    if (holds != null) {
      holds.close();
    }
    place.giveBack();
    ended.complete(null);
  }

  private void delete(Path lives) {
    try {
      Directories.delete(lives);
    } catch (IOException e) {
      throw failure(ErrorCode.BACKEND_FAILED, "left files in " + lives, e);
    }
  }

  private ClusterException failure(ErrorCode code, String what, @Nullable Exception cause) {
    String message = "node " + bootstrap.node() + " (" + id + ") of backend local " + what;
    return cause == null
        ? new ClusterException(code, message)
        : new ClusterException(code, message + ": " + cause.getMessage(), cause);
  }
}
