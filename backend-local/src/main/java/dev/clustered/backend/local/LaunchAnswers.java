// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.LaunchId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What each launch was answered, so that a repeated call gets the same and launches nothing. A
 * launch that failed is forgotten, because nothing of it is left; an ended one is remembered until
 * {@value #ENDED_REMEMBERED} others have ended after it. Thread-safe.
 */
final class LaunchAnswers {

  private static final int ENDED_REMEMBERED = 1_000;

  private final ConcurrentMap<LaunchId, CompletableFuture<List<LocalNode>>> answers =
      new ConcurrentHashMap<>();
  private final Deque<LaunchId> ended = new ArrayDeque<>();

  /** Launches; on any failure nothing is left. */
  interface Launcher {
    List<LocalNode> launch() throws InterruptedException;
  }

  /** The answer of the first call with this id, which may be this one. */
  List<LocalNode> first(LaunchId id, Launcher launcher) throws InterruptedException {
    while (true) {
      CompletableFuture<List<LocalNode>> own = new CompletableFuture<>();
      CompletableFuture<List<LocalNode>> earlier = answers.putIfAbsent(id, own);
      if (earlier == null) {
        return launch(id, own, launcher);
      }
      try {
        return Waiting.on(earlier);
      } catch (CancellationException e) {
        // The first caller was interrupted and left nothing: this one may take its place.
      }
    }
  }

  /** Knows the answer of a launch by an earlier program. */
  void know(LaunchId id, List<LocalNode> nodes) {
    answers.put(id, CompletableFuture.completedFuture(nodes));
  }

  /** Returns when no launch is under way; whoever calls has seen to it that none begins. */
  void awaitAll() {
    answers.values().forEach(answer -> answer.handle((nodes, failure) -> true).join());
  }

  private List<LocalNode> launch(
      LaunchId id, CompletableFuture<List<LocalNode>> own, Launcher launcher)
      throws InterruptedException {
    try {
      List<LocalNode> nodes = launcher.launch();
      own.complete(nodes);
      return nodes;
    } catch (InterruptedException e) {
      answers.remove(id);
      own.cancel(false);
      throw e;
    } catch (RuntimeException | Error e) {
      answers.remove(id);
      own.completeExceptionally(e);
      throw e;
    }
  }

  /** Says that every node of a launch has ended. */
  synchronized void ended(LaunchId id) {
    ended.add(id);
    if (ended.size() > ENDED_REMEMBERED) {
      answers.remove(ended.remove());
    }
  }
}
