// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.JoinReply;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.core.control.AgentGateway;
import dev.clustered.core.control.BlobSource;
import dev.clustered.core.engine.files.SentFiles;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * All nodes' lines to their agents. Heartbeats end here: only what changes something reaches the
 * loop. Thread-safe.
 */
final class AgentLinks implements AgentGateway, Lines {

  private final Map<NodeId, AgentLink> links = new ConcurrentHashMap<>();
  private final Map<ClusterId, ClusterRecord> clusters = new ConcurrentHashMap<>();
  private final SecureRandom random = new SecureRandom();
  private final LongSupplier nanoTime;
  private final Duration poll;
  private final Duration lease;
  private final LogStore logs;
  private final Inbox inbox;
  private final Execs execs;
  private final Sessions sessions;

  /** Where what agents say goes. */
  interface Inbox {
    void joined(NodeId node, String address);

    void observed(NodeId node, ObservedState state);
  }

  AgentLinks(LongSupplier nanoTime, EngineConfig config, LogStore logs, Inbox inbox) {
    this.nanoTime = nanoTime;
    this.poll = config.silenceLimit().dividedBy(2);
    this.lease = config.lease();
    this.logs = logs;
    this.inbox = inbox;
    this.sessions = new Sessions(config.key(), config.epoch());
    this.execs = new Execs(node -> Optional.ofNullable(links.get(node)), poll);
  }

  /** Expects a node; the token returned is good for one join, and the same each time. */
  String expect(NodeId node) {
    String token = sessions.joinToken(node);
    links.computeIfAbsent(
        node,
        name ->
            AgentLink.expected(name, bytes(token), nanoTime.getAsLong(), sessions.generation()));
    return token;
  }

  @Override
  public void restore(NodeId node, boolean joined) {
    byte[] token = joined ? new byte[0] : bytes(sessions.joinToken(node));
    links.put(node, AgentLink.restored(node, token, nanoTime.getAsLong(), sessions.generation()));
  }

  /** Forgets a node; its agent is refused from now on. */
  @Override
  public void forget(NodeId node) {
    AgentLink link = links.remove(node);
    if (link != null) {
      link.close();
    }
    execs.lost(node, "node %s has been given back".formatted(node));
  }

  /** A node was lost: what runs there is not known any more. */
  void lost(NodeId node, String why) {
    execs.lost(node, "node %s was lost: %s".formatted(node, why));
  }

  @Override
  public Execs execs() {
    return execs;
  }

  @Override
  public void open(ClusterRecord cluster) {
    clusters.put(cluster.id, cluster);
  }

  @Override
  public void close(ClusterId cluster) {
    ClusterRecord closed = clusters.remove(cluster);
    if (closed != null) {
      closed.sent = SentFiles.NONE;
    }
  }

  /** The generation that holds from now on; 0 for a node that is not known. */
  @Override
  public long desire(NodeId node, List<DesiredWork> work) {
    AgentLink link = links.get(node);
    return link == null ? 0 : link.desire(work);
  }

  /** How long a node has not been heard. */
  @Override
  public Duration silence(NodeId node) {
    AgentLink link = links.get(node);
    return link == null ? Duration.ZERO : Duration.ofNanos(nanoTime.getAsLong() - link.lastHeard());
  }

  @Override
  public Optional<JoinReply> join(JoinRequest request) {
    AgentLink link = links.get(request.node());
    String address = request.addresses().getFirst();
    String session = sessions.session(request.node(), address);
    long now = nanoTime.getAsLong();
    if (link == null || !link.join(bytes(request.token()), bytes(session), address, now)) {
      return Optional.empty();
    }
    return Optional.of(new JoinReply(session, poll, lease));
  }

  @Override
  public boolean admits(NodeId node, String session) {
    AgentLink link = links.get(node);
    if (link != null && link.knowsNoSession()) {
      sessions.address(node, session).ifPresent(from -> link.adopt(bytes(session), from));
    }
    if (link == null || !link.admits(bytes(session), nanoTime.getAsLong())) {
      return false;
    }
    link.arrival().ifPresent(address -> inbox.joined(node, address));
    return true;
  }

  @Override
  public Optional<DesiredState> poll(NodeId node, long generation) throws InterruptedException {
    AgentLink link = links.get(node);
    // Spread out, or the polls of agents that were told something together end together for ever.
    long hold = poll.toNanos() - random.nextLong(poll.toNanos() / 8 + 1);
    return link == null ? Optional.empty() : link.await(generation, hold);
  }

  @Override
  public void observed(NodeId node, ObservedState state) {
    AgentLink link = links.get(node);
    if (link != null && link.newer(state.sequence())) {
      inbox.observed(node, state);
    }
  }

  @Override
  public Optional<WorkDocument> work(NodeId node, ClusterId cluster, int attempt) {
    return holder(node, cluster, attempt)
        .flatMap(found -> found.life.on(node).map(rank -> found.work(rank.rank())));
  }

  @Override
  public Optional<BlobSource> blobs(NodeId node, ClusterId cluster, int attempt) {
    return holder(node, cluster, attempt).map(found -> found.sent);
  }

  @Override
  public Optional<Long> logs(
      NodeId node, ClusterId cluster, int attempt, int rank, long offset, InputStream bytes)
      throws IOException {
    boolean own =
        holder(node, cluster, attempt)
            .flatMap(found -> found.life.on(node))
            .filter(life -> life.rank() == rank)
            .isPresent();
    return own
        ? Optional.of(logs.log(cluster, attempt, rank).append(offset, bytes))
        : Optional.empty();
  }

  private Optional<ClusterRecord> holder(NodeId node, ClusterId cluster, int attempt) {
    return Optional.ofNullable(clusters.get(cluster))
        .filter(found -> found.life.attempt() == attempt && found.life.on(node).isPresent());
  }

  private static byte[] bytes(String secret) {
    return secret.getBytes(StandardCharsets.UTF_8);
  }
}
