// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.Reservations.Reservation;
import dev.clustered.core.plan.Reservations.Taken;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What waiting gangs were promised, kept for them while others end. Not thread-safe. */
final class Claims {

  private final Pool pool;
  private final Tenants tenants;
  private final Reservations reservations;
  private final Map<ClusterId, Reservation> kept = new TreeMap<>();

  Claims(Pool pool, Tenants tenants, Reservations reservations) {
    this.pool = pool;
    this.tenants = tenants;
    this.reservations = reservations;
  }

  /** Keeps what a gang was promised, while that can still come true. */
  void keep(GangRequest gang, Instant now) {
    gang.claim()
        .filter(claim -> claim.until().isAfter(now) && canComeTrue(gang, claim))
        .ifPresent(
            claim ->
                kept.put(
                    gang.id(), reservations.keep(gang.id(), Optional.empty(), parts(gang, claim))));
  }

  private boolean canComeTrue(GangRequest gang, Claim claim) {
    List<Need> needs = needs(gang);
    if (claim.nodes().size() != needs.size()) {
      return false;
    }
    for (int i = 0; i < needs.size(); i++) {
      NodeId node = claim.nodes().get(i);
      Need need = needs.get(i);
      Optional<Slot> slot = pool.slot(node).filter(there -> there.node().ready());
      boolean comes = tenants.on(node).stream().anyMatch(this::leaves);
      if (slot.filter(there -> comes || there.holds(need)).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Whether a gang is about to leave the nodes that it holds, or some of them. */
  private boolean leaves(ClusterId id) {
    Optional<RunningGang> gang = tenants.find(id);
    return gang.filter(g -> g.phase() == RunningGang.Phase.ENDING).isPresent()
        || gang.stream().flatMap(g -> g.members().stream()).anyMatch(Member::leaving);
  }

  private Map<NodeId, Taken> parts(GangRequest gang, Claim claim) {
    Map<NodeId, Taken> parts = new TreeMap<>();
    List<Need> needs = needs(gang);
    for (int i = 0; i < needs.size(); i++) {
      NodeId node = claim.nodes().get(i);
      Need need = needs.get(i);
      pool.slot(node)
          .ifPresent(
              slot -> {
                Resources each = need.takes(slot.node().shape());
                Resources before =
                    Optional.ofNullable(parts.get(node)).map(Taken::amount).orElse(Resources.NONE);
                Resources all = each.plus(before);
                parts.put(node, new Taken(all, Owed.beyond(slot.left(), all)));
              });
    }
    return parts;
  }

  /** What each rank needs, then each spare. */
  private static List<Need> needs(GangRequest gang) {
    GangRequest least = gang.atMinimum();
    List<Need> needs = new ArrayList<>();
    for (Role role : least.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        needs.add(role.need());
      }
    }
    for (int i = 0; i < least.spares(); i++) {
      needs.add(least.need());
    }
    return needs;
  }

  /** Whether something is kept for a gang. */
  boolean holds(GangRequest gang) {
    return kept.containsKey(gang.id());
  }

  /** The wait for those that end for a gang. */
  Wait wait(GangRequest gang) {
    int ending =
        (int)
            tenants.all().stream()
                .filter(other -> other.endsFor().filter(gang.id()::equals).isPresent())
                .count();
    WaitReason reason =
        gang.claim()
            .<WaitReason>map(
                claim ->
                    new WaitReason.Draining(
                        ending, claim.nodes().size(), Optional.of(claim.until())))
            .orElseThrow();
    return new Wait(gang.id(), List.of(reason), Optional.empty());
  }

  /** Gives a gang what it was promised, once all of it is free. */
  Optional<Placement> take(GangRequest gang) {
    Reservation reservation = kept.get(gang.id());
    Optional<Claim> claim = gang.claim();
    if (reservation == null || claim.isEmpty()) {
      return Optional.empty();
    }
    reservations.lift(List.of(reservation));
    int mark = pool.mark();
    List<Assignment> taken = new ArrayList<>();
    List<Need> needs = needs(gang);
    for (int i = 0; i < needs.size(); i++) {
      Optional<Assignment> assignment = pool.take(claim.get().nodes().get(i), needs.get(i));
      if (assignment.isEmpty()) {
        pool.backTo(mark);
        reservations.restore(List.of(reservation));
        return Optional.empty();
      }
      taken.add(assignment.get());
    }
    reservations.forget(reservation);
    kept.remove(gang.id());
    GangRequest least = gang.atMinimum();
    int ranks = least.nodes();
    return Optional.of(
        new Placement(taken.subList(0, ranks), taken.subList(ranks, taken.size()), least.roles()));
  }
}
