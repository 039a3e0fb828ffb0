// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A gang that has its nodes. Immutable and thread-safe.
 *
 * @param request what it asked for when it was placed
 * @param members its ranks, in rank order; one that has moved stands twice until it has left
 * @param spares what it holds beside them, to replace a node that is lost
 * @param startedAt when it got its nodes
 * @param expectedEnd when its nodes are free again at the latest, if that is known; not before it
 *     started
 * @param endsFor for whom it was told to end, when it was preempted; nobody for a gang that does
 *     not end
 */
public record RunningGang(
    GangRequest request,
    List<Member> members,
    List<Holding> spares,
    Instant startedAt,
    Optional<Instant> expectedEnd,
    Phase phase,
    Optional<ClusterId> endsFor) {

  /** How far it is. */
  public enum Phase {
    /** It works. */
    RUNNING,
    /** One of its attempts has failed and the next has not begun: now it may grow. */
    RESTARTING,
    /** A rank has ended well, so the others are about to: not ended or moved for anybody. */
    FINISHING,
    /** It was told to end; its nodes are free when it has. */
    ENDING
  }

  public RunningGang {
    request = request.withoutClaim(); // It was kept, or it is void.
    members = List.copyOf(members);
    spares = List.copyOf(spares);
    Set<Integer> ranks = new TreeSet<>();
    for (Member member : members) {
      if (!member.leaving() && !ranks.add(member.rank())) {
        throw new IllegalArgumentException(
            "rank %d of gang %s stands twice".formatted(member.rank(), request.id()));
      }
    }
    if (expectedEnd.filter(end -> end.isBefore(startedAt)).isPresent()) {
      throw new IllegalArgumentException(
          "gang %s started at %s and ends no earlier; received: %s"
              .formatted(request.id(), startedAt, expectedEnd.get()));
    }
    if (endsFor.isPresent() && phase != Phase.ENDING) {
      throw new IllegalArgumentException(
          "gang %s ends for another only when it ends; received: %s, for %s"
              .formatted(request.id(), phase, endsFor.get()));
    }
  }

  /** A gang that works and holds no spares. */
  public RunningGang(
      GangRequest request, List<Member> members, Instant startedAt, Optional<Instant> expectedEnd) {
    this(request, members, List.of(), startedAt, expectedEnd, Phase.RUNNING, Optional.empty());
  }

  /** Its cluster. */
  public ClusterId id() {
    return request.id();
  }

  /** Whether it works, or is about to work again. */
  public boolean works() {
    return phase == Phase.RUNNING || phase == Phase.RESTARTING;
  }

  /** How many spares it has fewer than it asked for. */
  public int lackingSpares() {
    return Math.max(0, request.spares() - spares.size());
  }

  /**
   * How many ranks it could have more now. More ranks of several roles would be numbered out of
   * turn, and more of a block or a spread would have to move the others.
   */
  int room() {
    Role role = request.roles().getFirst();
    boolean elastic =
        request.roles().size() == 1
            && request.alternatives().isEmpty()
            && role.minimum() < role.nodes()
            && !request.layout().ordered()
            && !role.layout().ordered();
    return elastic && phase == Phase.RESTARTING && members.stream().noneMatch(Member::leaving)
        ? Math.max(0, role.nodes() - members.size())
        : 0;
  }

  /** The same in another phase. */
  public RunningGang withPhase(Phase other) {
    return new RunningGang(request, members, spares, startedAt, expectedEnd, other, endsFor);
  }

  /** The same, asking for something else. */
  RunningGang asking(GangRequest other) {
    return new RunningGang(other, members, spares, startedAt, expectedEnd, phase, endsFor);
  }

  /** The same with other nodes. */
  RunningGang with(List<Member> others, List<Holding> otherSpares) {
    return new RunningGang(request, others, otherSpares, startedAt, expectedEnd, phase, endsFor);
  }

  /** The same, told to end for another gang. */
  public RunningGang endingFor(ClusterId other) {
    return new RunningGang(
        request, members, spares, startedAt, expectedEnd, Phase.ENDING, Optional.of(other));
  }
}
