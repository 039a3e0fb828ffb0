// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.core.lifecycle.Lifetime;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.lifecycle.RankLife;
import dev.clustered.core.lifecycle.Tries;
import dev.clustered.core.rendezvous.HandOver;
import dev.clustered.core.rendezvous.Member;
import dev.clustered.core.rendezvous.Place;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.Secret;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is desired of each node: a function of the clusters that hold a part of it. */
final class DesiredWorks {

  private final EngineState state;
  private final EngineKey key;

  DesiredWorks(EngineState state, EngineKey key) {
    this.state = state;
    this.key = key;
  }

  /** Whether nothing is desired of any node that was not before. */
  static boolean same(ClusterLife before, ClusterLife after) {
    return before.wanted() == after.wanted()
        && before.attempt() == after.attempt()
        && before.port() == after.port()
        && before.grace().equals(after.grace())
        && before.notice().equals(after.notice())
        && before.ranks().size() == after.ranks().size();
  }

  List<DesiredWork> of(NodeId node) {
    List<DesiredWork> works = new ArrayList<>();
    for (ClusterRecord cluster : state.holders(node)) {
      cluster.life.on(node).flatMap(rank -> work(cluster, rank)).ifPresent(works::add);
    }
    return works;
  }

  private Optional<DesiredWork> work(ClusterRecord cluster, RankLife rank) {
    ClusterLife life = cluster.life;
    return step(life.wanted()).map(step -> work(cluster, rank.rank(), step));
  }

  private DesiredWork work(ClusterRecord cluster, int rank, DesiredWork.Step step) {
    HandOver given = step == DesiredWork.Step.PREPARE ? HandOver.NONE : handOver(cluster, rank);
    ClusterLife life = cluster.life;
    return new DesiredWork(
        cluster.id,
        life.attempt(),
        rank,
        step,
        given.contract(),
        given.preamble(),
        life.grace(),
        life.notice(),
        hung(life),
        alone(life));
  }

  /** A cluster that outlives its engine has a time limit, so that nothing runs for ever. */
  private static Optional<Duration> alone(ClusterLife life) {
    return life.request().lifetime() == Lifetime.DETACHED
        ? life.request().spec().timeLimit()
        : Optional.empty();
  }

  /** Why the attempt hung, when it is stopped for it. */
  private static Optional<String> hung(ClusterLife life) {
    return life.tries()
        .failure()
        .map(Tries.Failure::cause)
        .or(() -> life.verdict().flatMap(ClusterLife.Verdict::cause))
        .filter(cause -> cause.code() == ErrorCode.HUNG)
        .map(Cause::message);
  }

  private static Optional<DesiredWork.Step> step(Wanted wanted) {
    return switch (wanted) {
      case NOTHING -> Optional.empty();
      case PREPARE -> Optional.of(DesiredWork.Step.PREPARE);
      case JOIN -> Optional.of(DesiredWork.Step.JOIN);
      case RUN -> Optional.of(DesiredWork.Step.RUN);
      case STOP -> Optional.of(DesiredWork.Step.STOP);
    };
  }

  /** Made once an attempt, when every rank has its address and the leader its port. */
  private HandOver handOver(ClusterRecord cluster, int rank) {
    if (cluster.handOvers.isEmpty() && cluster.life.port() > 0) {
      cluster.handOvers = handOvers(cluster);
    }
    return cluster.handOvers.isEmpty() ? HandOver.NONE : cluster.handOvers.get(rank);
  }

  private List<HandOver> handOvers(ClusterRecord cluster) {
    ClusterLife life = cluster.life;
    ClusterSpec spec = life.request().spec();
    List<Member> members = life.ranks().stream().map(this::member).toList();
    Optional<Secret> secret = Optional.of(secret(cluster));
    List<HandOver> all = new ArrayList<>();
    for (int rank = 0; rank < members.size(); rank++) {
      Place place =
          new Place(cluster.id, life.attempt(), rank, members, life.port(), secret, spec.roles());
      all.add(HandOver.of(spec, place, cluster.work(rank).environment()));
    }
    return all;
  }

  /** Another one for each attempt, so that nothing of an attempt before is let in. */
  private Secret secret(ClusterRecord cluster) {
    String attempt = Integer.toString(cluster.life.attempt());
    return Secret.of(key.secret("attempt", cluster.id.value(), attempt));
  }

  private Member member(RankLife rank) {
    NodeLife node = state.nodes.get(rank.node());
    if (node == null) {
      return new Member("0.0.0.0", rank.gpus(), 0);
    }
    return new Member(node.address(), rank.gpus(), node.offer().shape().resources().gpus());
  }
}
