// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.ClusterListener;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.core.engine.logs.RankLog;
import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners and completes what users wait for, never on the loop's thread. Thread-safe. */
final class Completions implements Callers {

  private static final Logger log = LoggerFactory.getLogger(Completions.class);

  private final EventDispatcher dispatcher;
  private final List<ClusterListener> everywhere;
  private final LogStore logs;
  private final Function<ClusterRecord, dev.clustered.Cluster> handles;
  private final Consumer<ClusterRecord> forgetting;

  Completions(
      EventDispatcher dispatcher,
      List<ClusterListener> everywhere,
      LogStore logs,
      Function<ClusterRecord, dev.clustered.Cluster> handles,
      Consumer<ClusterRecord> forgetting) {
    this.dispatcher = dispatcher;
    this.everywhere = everywhere;
    this.logs = logs;
    this.handles = handles;
    this.forgetting = forgetting;
  }

  @Override
  public void tell(ClusterRecord cluster, ClusterEvent event) {
    dispatcher.tell(everywhere, event);
    dispatcher.tell(cluster.listeners, event);
  }

  @Override
  public void ready(ClusterRecord cluster) {
    apart("ready", () -> cluster.ready.complete(handles.apply(cluster)));
  }

  /** Nothing of an attempt is written any more. */
  @Override
  public void attemptOver(ClusterRecord cluster, int attempt) {
    logs.logs(cluster.id, attempt, cluster.life.ranks().size()).forEach(Completions::complete);
    // Somebody may follow a rank that an attempt before had, and this one has not.
    logs.opened(cluster.id, attempt).forEach(Completions::complete);
  }

  @Override
  public void exit(ClusterRecord cluster) {
    ClusterLife life = cluster.life;
    attemptOver(cluster, life.attempt());
    Map<Integer, Integer> heard = cluster.ends.places(life.attempt());
    apart("exit", () -> cluster.exit.complete(Exits.of(life, heard, logs)));
  }

  @Override
  public void ended(ClusterRecord cluster) {
    ClusterLife life = cluster.life;
    apart(
        "ended",
        () -> {
          // First, because whoever hears of the failure may close the engine, which waits for it.
          cluster.ended.complete(null);
          cluster.ready.completeExceptionally(failure(life));
        });
  }

  @Override
  public void forgotten(ClusterRecord cluster) {
    apart("forgotten", () -> forgetting.accept(cluster));
  }

  /** A user's code may hang on a future: it must hold up neither the loop nor the events. */
  private static void apart(String what, Runnable completion) {
    Thread.ofVirtual().name("clustered-completion-" + what).start(completion);
  }

  private static void complete(RankLog rank) {
    try {
      rank.complete();
    } catch (IOException e) {
      log.warn("A log cannot be closed", e);
    }
  }

  private static ClusterException failure(ClusterLife life) {
    Optional<Cause> cause = life.verdict().flatMap(ClusterLife.Verdict::cause);
    ErrorCode code = cause.map(Cause::code).orElse(ErrorCode.CANCELLED);
    String why = cause.map(Cause::message).orElse("it ended before it ran");
    return new ClusterException(
        code,
        "cluster %s (%s) did not run: %s"
            .formatted(life.request().cluster(), life.request().spec().name(), why));
  }
}
