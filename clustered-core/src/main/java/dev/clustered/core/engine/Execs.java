// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.ExecRequest;
import dev.clustered.agent.protocol.ExecDocument;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.core.control.ExecGateway;
import dev.clustered.core.engine.exec.ExecOutput;
import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.RankLife;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * All commands beside ranks that are not over. They are no facts of a cluster, so nothing of them
 * reaches the loop or the journal. Thread-safe.
 */
final class Execs implements ExecGateway {

  /** How long a request may wait for room, or for input: well within a request's limit. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(10);

  private static final int ID_BYTES = 8;

  private final Map<String, Exec> running = new ConcurrentHashMap<>();
  private final Function<NodeId, Optional<AgentLink>> links;
  private final SecureRandom random = new SecureRandom();
  private final long hold;

  /**
   * No commands yet.
   *
   * @param poll how long agents expect a request to be held
   */
  Execs(Function<NodeId, Optional<AgentLink>> links, Duration poll) {
    this.links = links;
    this.hold = Math.min(poll.toNanos(), LONGEST_HOLD.toNanos());
  }

  /** Starts a command; its node is told at once. */
  Exec start(
      ClusterRecord cluster, int rank, ExecRequest request, ExecOutput out, ExecOutput error) {
    Exec.Place place = place(cluster, rank);
    byte[] number = new byte[ID_BYTES];
    random.nextBytes(number);
    String id = "ex-" + HexFormat.of().formatHex(number);
    Exec exec = new Exec(this, id, place, request, out, error);
    running.put(id, exec);
    // After that: whoever closes the link afterwards finds the command.
    boolean told = link(exec).filter(link -> link.add(exec.desired())).isPresent();
    if (!told) {
      over(exec, new ProcessEnd.Unknown("node %s is gone".formatted(place.node())));
    }
    return exec;
  }

  private static Exec.Place place(ClusterRecord cluster, int rank) {
    ClusterLife life = cluster.life;
    int size = life.request().spec().nodes();
    if (rank < 0 || rank >= size) {
      throw new IllegalArgumentException(
          "cluster %s has ranks 0 to %d; received rank %d".formatted(cluster.id, size - 1, rank));
    }
    Optional<RankLife> runs =
        life.ranks().stream()
            .filter(each -> each.rank() == rank)
            .filter(each -> each.progress() == RankLife.Progress.RUNNING && !each.nodeLost())
            .findFirst();
    return runs.map(each -> new Exec.Place(each.node(), cluster.id, life.attempt(), rank))
        .orElseThrow(() -> notRunning(cluster, life, rank));
  }

  private static ClusterException notRunning(ClusterRecord cluster, ClusterLife life, int rank) {
    String state =
        life.ranks().stream()
            .filter(each -> each.rank() == rank)
            .findFirst()
            .map(Execs::state)
            .orElse("has no node yet");
    return new ClusterException(
        ErrorCode.RANK_NOT_RUNNING,
        "no command can run beside rank %d of cluster %s: it %s, and the cluster is %s; wait until it runs"
            .formatted(rank, cluster.id, state, life.state()));
  }

  private static String state(RankLife rank) {
    if (rank.nodeLost()) {
      return "has lost its node";
    }
    return switch (rank.progress()) {
      case ASSIGNED -> "waits for its node";
      case BOOTED, PREPARED, JOINED -> "has not been started yet";
      case RUNNING -> "runs";
      case EXITED, FINISHED -> "has ended" + rank.end().map(end -> " with " + end).orElse("");
    };
  }

  /** Something else is desired of it; whether its node was to run it. */
  boolean changed(Exec exec) {
    return link(exec).filter(link -> link.update(exec.desired())).isPresent();
  }

  /** A node is gone, with all that ran there. */
  void lost(NodeId node, String why) {
    running.values().stream()
        .filter(exec -> exec.place.node().equals(node))
        .forEach(exec -> over(exec, new ProcessEnd.Unknown(why)));
  }

  private void over(Exec exec, ProcessEnd end) {
    finish(exec, () -> exec.end.complete(end));
  }

  private void finish(Exec exec, Runnable completion) {
    if (running.remove(exec.id, exec)) {
      link(exec).ifPresent(link -> link.remove(exec.id));
      exec.input.end();
      exec.output.end();
      exec.error.end();
      // A user's code may hang on the future: it must hold up neither the loop nor the agent.
      Thread.ofVirtual().name("clustered-completion-" + exec.id).start(completion);
    }
  }

  private Optional<AgentLink> link(Exec exec) {
    return links.apply(exec.place.node());
  }

  private Optional<Exec> find(NodeId node, String id) {
    return Optional.ofNullable(running.get(id)).filter(exec -> exec.place.node().equals(node));
  }

  @Override
  public Optional<ExecDocument> document(NodeId node, String exec) {
    return find(node, exec).map(found -> found.document);
  }

  @Override
  public Optional<Long> output(
      NodeId node, String exec, Stream stream, long offset, InputStream bytes)
      throws IOException, InterruptedException {
    Optional<Exec> found = find(node, exec);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ExecOutput output =
        switch (stream) {
          case OUTPUT -> found.get().output;
          case ERROR -> found.get().error;
        };
    return Optional.of(output.append(offset, bytes, hold));
  }

  @Override
  public Optional<InputPart> input(NodeId node, String exec, long offset)
      throws InterruptedException {
    Optional<Exec> found = find(node, exec);
    return found.isEmpty() ? Optional.empty() : found.get().input.take(offset, hold);
  }

  @Override
  public boolean inputUnwanted(NodeId node, String exec) {
    Optional<Exec> found = find(node, exec);
    found.ifPresent(known -> known.input.refuse("it reads no more"));
    return found.isPresent();
  }

  @Override
  public boolean ended(NodeId node, String id, ExecEnd told) {
    Optional<Exec> found = find(node, id);
    found.ifPresent(
        exec -> {
          told.endedBecause().ifPresent(exec::because);
          if (told.end().isPresent()) {
            over(exec, told.end().get());
          } else {
            ClusterException failure = refusal(exec, told.refusal());
            finish(exec, () -> exec.end.completeExceptionally(failure));
          }
        });
    return found.isPresent();
  }

  private static ClusterException refusal(Exec exec, Optional<ExecEnd.Refusal> refusal) {
    ErrorCode code = refusal.map(ExecEnd.Refusal::code).orElse(ErrorCode.INTERNAL);
    String why = refusal.map(ExecEnd.Refusal::message).orElse("its node did not say why");
    return new ClusterException(
        code,
        "no command can run beside rank %d of cluster %s on node %s: %s"
            .formatted(exec.place.rank(), exec.place.cluster(), exec.place.node(), why));
  }
}
