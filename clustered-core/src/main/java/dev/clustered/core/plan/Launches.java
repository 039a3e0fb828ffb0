// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.PlanPolicy.Launching.Late;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The launches under way: whose their nodes are, what they will still bring, and what becomes of
 * those that are late. Not thread-safe.
 */
final class Launches {

  private final Instant now;
  private final PlanPolicy.Launching policy;
  private final Census census;
  private final Pool pool;
  private final Map<ClusterId, List<LaunchView>> byGang = new TreeMap<>();
  private final Map<LaunchId, ClusterId> owners = new TreeMap<>();

  Launches(Snapshot snapshot, Census census, Pool pool) {
    this.now = snapshot.now();
    this.policy = snapshot.policy().launching();
    this.census = census;
    this.pool = pool;
    snapshot.launches().stream()
        .sorted(Comparator.comparing(LaunchView::id))
        .forEach(l -> byGang.computeIfAbsent(l.gang(), g -> new ArrayList<>()).add(l));
  }

  /** Whether a launch keeps what a role's layout and need ask of its nodes. */
  static boolean promises(Layout layout, Need need) {
    return promises(layout) && need.attributes().isEmpty();
  }

  private static boolean promises(Layout layout) {
    boolean anywhere = layout.required().filter(l -> !l.equals(TopologyPath.ZONE)).isEmpty();
    return anywhere && layout.blocks().isEmpty() && layout.spread().isEmpty();
  }

  /** What late launches say of their zones. */
  List<CoolDown> coolDowns() {
    List<CoolDown> coolDowns = new ArrayList<>();
    for (List<LaunchView> launches : byGang.values()) {
      for (LaunchView launch : launches) {
        launch
            .deadline()
            .filter(end -> refunded(launch))
            .ifPresent(end -> coolDowns.add(coolDown(launch, end.plus(policy.coolDown(1)))));
      }
    }
    return coolDowns;
  }

  private static CoolDown coolDown(LaunchView launch, Instant until) {
    Offer offer = launch.offer();
    String failure =
        "launch %s brought %d of %d nodes in its time"
            .formatted(launch.id(), launch.granted(), launch.nodes());
    return new CoolDown(offer.backend(), offer.zone(), offer.shape().name(), until, failure);
  }

  private boolean refunded(LaunchView launch) {
    return launch.late(now) && !stays(launch);
  }

  /** A late launch stays without RDMA alone: no later one is sure to be on the same fabric. */
  private boolean stays(LaunchView launch) {
    return policy.late() == Late.KEEP
        && launch.granted() > 0
        && launch.offer().shape().rdmaGigabits() == 0;
  }

  /**
   * Gives the nodes of late launches back, and keeps those of the others for the gangs that wait
   * for them.
   *
   * @param waits who waits
   */
  void settle(Waiting waits, Releases releases) {
    if (byGang.isEmpty()) {
      return;
    }
    Set<ClusterId> mended = new TreeSet<>();
    census.losses().broken().forEach(gang -> mended.add(gang.id()));
    byGang.forEach(
        (gang, launches) -> {
          int spares = mended.contains(gang) ? 0 : lackingSpares(gang);
          if (!waits.has(gang) && !mended.contains(gang) && spares == 0) {
            return; // Nobody needs them any more, so they are everybody's.
          }
          for (LaunchView launch : launches) {
            if (refunded(launch)) {
              releases.refund(there(launch));
            } else {
              owners.put(launch.id(), gang);
            }
          }
          keep(gang, waits.has(gang) ? Integer.MAX_VALUE : spares);
        });
  }

  private int lackingSpares(ClusterId gang) {
    return census
        .tenants()
        .find(gang)
        .filter(RunningGang::works)
        .map(RunningGang::lackingSpares)
        .orElse(0);
  }

  private List<Slot> there(LaunchView launch) {
    List<Slot> slots = new ArrayList<>();
    for (NodeId node : census.ofLaunch(launch.id())) {
      pool.slot(node).ifPresent(slots::add);
    }
    return slots;
  }

  /** The nodes that are ready and that nobody but a gang may have. */
  List<Slot> own(ClusterId gang) {
    List<Slot> own = new ArrayList<>();
    for (LaunchView launch : of(gang)) {
      if (owners.containsKey(launch.id())) {
        there(launch).stream().filter(slot -> slot.node().empty()).forEach(own::add);
      }
    }
    own.sort(Slot.BY_PLACE);
    return own;
  }

  /** Whether a node is kept for another gang than this. */
  boolean keptFromOthers(NodeView node, ClusterId gang) {
    ClusterId owner = owners.get(node.launch());
    return owner != null && !owner.equals(gang);
  }

  /** Takes what is a gang's own out of the pool. */
  void keep(ClusterId gang) {
    keep(gang, Integer.MAX_VALUE);
  }

  private void keep(ClusterId gang, int most) {
    own(gang).stream().filter(Slot::empty).limit(most).forEach(pool::release);
  }

  /** A gang has all that it lacked: what launches still bring it is everybody's. */
  void disown(ClusterId gang) {
    owners.values().removeIf(gang::equals);
  }

  /**
   * Lets a gang have what its launches brought.
   *
   * @return whether they brought any
   */
  boolean putBack(ClusterId gang) {
    List<Slot> own = own(gang);
    own.forEach(pool::putBack);
    return !own.isEmpty();
  }

  private List<LaunchView> of(ClusterId gang) {
    return byGang.getOrDefault(gang, List.of());
  }

  /** The gangs for which there is a launch, late or not. */
  Set<ClusterId> gangs() {
    return Collections.unmodifiableSet(byGang.keySet());
  }

  /** Whether there is a launch for a gang, late or not. */
  boolean known(ClusterId gang) {
    return !of(gang).isEmpty();
  }

  /** Whether a launch is under way that a gang waits for. */
  boolean underWay(ClusterId gang) {
    List<LaunchView> launches = of(gang);
    return !launches.isEmpty() && launches.stream().anyMatch(launch -> !launch.late(now));
  }

  /** Whether all that launches will ever bring a gang is ready. */
  boolean complete(ClusterId gang) {
    long all = of(gang).stream().mapToLong(this::atLast).sum();
    return own(gang).size() >= all;
  }

  /** How many nodes a launch brings in the end. */
  private int atLast(LaunchView launch) {
    if (refunded(launch)) {
      return 0;
    }
    return launch.late(now) ? launch.granted() : launch.nodes();
  }

  /** Whether all launches of a gang are late, and what they brought stays. */
  boolean stays(ClusterId gang) {
    return !underWay(gang) && of(gang).stream().anyMatch(this::stays);
  }

  /** The wait for what is under way. */
  Wait wait(ClusterId gang) {
    return new Wait(gang, reasons(gang), expected(gang));
  }

  /** What is under way, in numbers. */
  List<WaitReason> reasons(ClusterId gang) {
    List<WaitReason> reasons = new ArrayList<>();
    for (LaunchView launch : of(gang)) {
      String zone = launch.offer().zone();
      if (launch.granted() > 0 && launch.granted() < launch.nodes()) {
        reasons.add(
            new WaitReason.PartlyGranted(
                launch.id(), launch.granted(), launch.nodes(), zone, launch.deadline()));
      } else if (!launch.late(now)) {
        reasons.add(new WaitReason.LaunchInFlight(launch.id(), launch.nodes(), zone));
      }
    }
    return reasons;
  }

  /** When the last of what is under way should be ready; empty when that of one is not known. */
  Optional<Instant> expected(ClusterId gang) {
    Optional<Instant> last = Optional.empty();
    for (LaunchView launch : of(gang)) {
      if (!launch.late(now)) {
        if (launch.decidedAt().isEmpty()) {
          return Optional.empty();
        }
        Instant ready = launch.decidedAt().get().plus(launch.offer().bootTime());
        last = last.filter(other -> other.isAfter(ready)).or(() -> Optional.of(ready));
      }
    }
    return last;
  }

  /** How many nodes of each shape launches are to bring a gang. */
  Map<Shape, Integer> shapes(ClusterId gang) {
    Map<Shape, Integer> shapes = new LinkedHashMap<>();
    of(gang).forEach(launch -> shapes.merge(launch.offer().shape(), launch.nodes(), Integer::sum));
    return shapes;
  }

  /** How many nodes of a shape a gang will still get that are not ready yet. */
  int coming(ClusterId gang, String shape) {
    long coming = 0;
    for (LaunchView launch : of(gang)) {
      if (launch.site().shape().equals(shape)) {
        long ready = there(launch).stream().filter(slot -> slot.node().ready()).count();
        coming += Math.max(0, atLast(launch) - ready);
      }
    }
    return (int) Math.min(coming, Integer.MAX_VALUE);
  }

  /**
   * What was not granted of late launches whose nodes stay, launched again where they are.
   *
   * @return none when nothing is lacking, or when not all of it can be launched now
   */
  List<Launch> rest(GangRequest gang, Supply supply) {
    Map<Site, Integer> lacking = new TreeMap<>();
    for (LaunchView launch : of(gang.id())) {
      if (launch.granted() < launch.nodes()) {
        lacking.merge(launch.site(), launch.nodes() - launch.granted(), Integer::sum);
      }
    }
    List<Launch> launches = new ArrayList<>();
    for (Map.Entry<Site, Integer> entry : lacking.entrySet()) {
      Optional<Offer> offer = supply.best(entry.getKey(), entry.getValue());
      if (offer.isEmpty()) {
        return List.of();
      }
      launches.add(new Launch(gang.id(), offer.get(), entry.getValue(), gang.rdma()));
    }
    launches.forEach(launch -> supply.take(launch.offer(), launch.nodes()));
    return launches;
  }
}
