// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The gangs that have nodes in a {@link VirtualPool}, and what plans do to them. Not thread-safe.
 */
final class VirtualGangs {

  private final Scheduler scheduler;
  private final Map<ClusterId, RunningGang> running = new TreeMap<>();
  private final Set<ClusterId> requeued = new TreeSet<>();

  VirtualGangs(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  Collection<RunningGang> running() {
    return running.values();
  }

  void put(RunningGang gang) {
    running.put(gang.id(), gang);
    scheduler.runs(gang);
  }

  private RunningGang gang(ClusterId id) {
    return Objects.requireNonNull(running.get(id), () -> "no gang " + id + " runs");
  }

  /** A gang that waited gets its nodes. */
  void place(GangRequest gang, Decision.Place place, Instant now) {
    List<Member> members = new ArrayList<>();
    for (Role role : place.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        Holding at = holding(role.need(), place.assignments().get(members.size()));
        members.add(new Member(members.size(), role.name(), at));
      }
    }
    Need first = place.roles().getFirst().need();
    put(
        new RunningGang(
            gang,
            members,
            place.spares().stream().map(spare -> holding(first, spare)).toList(),
            now,
            gang.terms().timeLimit().map(now::plus),
            RunningGang.Phase.RUNNING,
            Optional.empty()));
  }

  private Holding holding(Need need, Assignment at) {
    return new Holding(at.node(), need.takes(scheduler.node(at.node()).shape()), at.gpus());
  }

  /** A gang was told to end for another. */
  void endsFor(ClusterId id, ClusterId other) {
    put(gang(id).endingFor(other));
  }

  /** A gang that cannot go on was told to end, to wait anew. */
  void requeue(ClusterId id) {
    put(gang(id).withPhase(RunningGang.Phase.ENDING));
    requeued.add(id);
  }

  /** Ranks of a gang were told to go. */
  void leave(Decision.Shrink shrink) {
    List<Member> members = new ArrayList<>();
    for (Member m : gang(shrink.gang()).members()) {
      boolean goes = m.leaving() || shrink.ranks().contains(m.rank());
      members.add(new Member(m.rank(), m.role(), m.at(), goes));
    }
    put(gang(shrink.gang()).with(members, gang(shrink.gang()).spares()));
  }

  /** A rank is on its new node, and still holds the old one. */
  void move(Decision.Move move) {
    RunningGang gang = gang(move.gang());
    List<Member> members = new ArrayList<>();
    for (Member m : gang.members()) {
      boolean moves = m.rank() == move.rank() && !m.leaving();
      if (moves) {
        members.add(new Member(m.rank(), m.role(), moved(m.at(), move.to())));
      }
      members.add(moves ? new Member(m.rank(), m.role(), m.at(), true) : m);
    }
    put(gang.with(members, gang.spares()));
  }

  private static Holding moved(Holding at, Assignment to) {
    return new Holding(to.node(), at.takes(), to.gpus());
  }

  /** A gang gets other nodes for lost ones. */
  void replace(Decision.Replace replace) {
    RunningGang gang = gang(replace.gang());
    List<Member> members = new ArrayList<>(gang.members());
    List<Holding> spares = new ArrayList<>(gang.spares());
    for (Replacement change : replace.replacements()) {
      if (change.rank() == Replacement.SPARE) {
        spares.replaceAll(s -> s.node().equals(change.lost()) ? moved(s, change.to()) : s);
      } else {
        spares.removeIf(spare -> spare.node().equals(change.to().node()));
        members.replaceAll(
            m ->
                m.rank() == change.rank()
                    ? new Member(m.rank(), m.role(), moved(m.at(), change.to()))
                    : m);
      }
    }
    put(gang.with(members, spares));
  }

  /** A gang goes on with some of its ranks. */
  void keepOnly(Decision.Resize resize) {
    RunningGang gang = gang(resize.gang());
    put(
        gang.with(
            gang.members().stream().filter(m -> resize.ranks().contains(m.rank())).toList(),
            gang.spares()));
  }

  /** A gang has ended, and its nodes are free. */
  void ended(ClusterId id, Instant at) {
    running.remove(id);
    scheduler.ended(id, at);
  }

  /**
   * Whoever was told to go has gone: the whole gang, or some of its ranks.
   *
   * @return what waits again, if the gang was ended for another or could not go on
   */
  Optional<GangRequest> left(ClusterId id, Instant at) {
    RunningGang gang = gang(id);
    if (gang.phase() == RunningGang.Phase.ENDING) {
      ended(id, at);
      return gang.endsFor().isPresent() || requeued.remove(id)
          ? Optional.of(gang.request())
          : Optional.empty();
    }
    put(gang.with(gang.members().stream().filter(m -> !m.leaving()).toList(), gang.spares()));
    return Optional.empty();
  }

  /** What queues have used when nobody but these gangs has had anything until a time. */
  List<QueueUse> uses(List<QueueUse> before, Instant until, Duration halfLife) {
    List<QueueUse> uses = new ArrayList<>();
    for (QueueUse use : before) {
      Resources held = Resources.NONE;
      for (RunningGang gang : running.values()) {
        if (gang.request().terms().queue().equals(use.queue())) {
          for (Holding holding : Tenants.holdings(gang)) {
            held = held.plus(holding.takes());
          }
        }
      }
      uses.add(use.after(held, Duration.between(use.at(), until), halfLife));
    }
    return uses;
  }
}
