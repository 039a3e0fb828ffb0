// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Change;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.StartChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The changes by which a gang is smaller, each tried. */
final class SizeChanges {

  private final Snapshot snapshot;
  private final GangRequest gang;
  private final Trials trials;

  SizeChanges(Snapshot snapshot, GangRequest gang, Trials trials) {
    this.snapshot = snapshot;
    this.gang = gang;
    this.trials = trials;
  }

  Optional<StartChange> fewerSpares() {
    return trials.most(
        0,
        gang.spares() - 1,
        spares -> new Change.FewerSpares(gang.spares(), spares),
        spares -> Optional.of(snapshot.withWaiting(gang.withSpares(spares))));
  }

  /** What is left of the size of a role when it is changed so. */
  private record Less(StartChange change, int left, int asked) {

    /** Whether nobody is disturbed, or else whether more is left. */
    boolean betterThan(Less other) {
      boolean quiet = !change.disturbsOthers();
      return quiet == other.change.disturbsOthers()
          ? quiet
          : (long) left * other.asked > (long) other.left * asked;
    }
  }

  /**
   * Fewer ranks of one role in whole blocks, or smaller ones, whichever leaves more of the role; of
   * equal ones fewer. Half of what is asked for is left, or more.
   */
  Optional<StartChange> smaller() {
    Optional<Less> fewer = fewerNodes(true);
    Optional<Less> smaller = smallerRanks();
    boolean takeSmaller =
        smaller.isPresent() && (fewer.isEmpty() || smaller.get().betterThan(fewer.get()));
    return (takeSmaller ? smaller : fewer).map(Less::change);
  }

  /** Less than half of the ranks of one role, in whole blocks. */
  Optional<StartChange> fewNodes() {
    return fewerNodes(false).map(Less::change);
  }

  private Optional<Less> fewerNodes(boolean half) {
    for (int i = 0; i < gang.roles().size(); i++) {
      int at = i;
      Role role = gang.roles().get(i);
      int block = block(role);
      int parts = role.minimum() / block;
      int middle = (parts + 1) / 2;
      Optional<StartChange> found =
          trials.most(
              half ? Math.max(1, middle) : 1,
              half ? parts - 1 : middle - 1,
              n -> new Change.FewerNodes(role.name(), role.minimum(), n * block),
              n -> Optional.of(with(at, resized(role, n * block))));
      if (found.isPresent() && found.get().change() instanceof Change.FewerNodes fewer) {
        return Optional.of(new Less(found.get(), fewer.most(), fewer.asked()));
      }
    }
    return Optional.empty();
  }

  private int block(Role role) {
    return Stream.concat(gang.layout().blocks().stream(), role.layout().blocks().stream())
        .mapToInt(Layout.Block::ranks)
        .max()
        .orElse(1);
  }

  private static Role resized(Role role, int nodes) {
    boolean elastic = role.minimum() < role.nodes();
    return elastic ? role.withMinimum(nodes) : role.withNodes(nodes);
  }

  private Snapshot with(int at, Role role) {
    List<Role> roles = new ArrayList<>(gang.roles());
    roles.set(at, role);
    return snapshot.withWaiting(gang.withRoles(roles));
  }

  // ---- smaller ranks

  /** Ranks of one role that take less, but half of what they do or more. */
  private Optional<Less> smallerRanks() {
    if (gang.layout().ordered() && gang.roles().size() > 1) {
      return Optional.empty(); // Such a layout asks that the ranks of all roles need the same.
    }
    for (int i = 0; i < gang.roles().size(); i++) {
      int at = i;
      Role role = gang.roles().get(i);
      Resources asked = takes(role.need());
      int units = units(asked);
      Optional<StartChange> found =
          trials.most(
              Math.max(1, (units + 1) / 2),
              units - 1,
              n -> new Change.SmallerRanks(role.name(), role.need().each(), part(asked, n, units)),
              n ->
                  Optional.of(
                      with(at, role.withNeed(role.need().withEach(part(asked, n, units))))));
      if (found.isPresent() && found.get().change() instanceof Change.SmallerRanks smaller) {
        return Optional.of(new Less(found.get(), units(smaller.most()), units));
      }
    }
    return Optional.empty();
  }

  /** GPUs, or CPUs where there are none. */
  private static int units(Resources some) {
    return some.gpus() > 0 ? some.gpus() : some.cpus();
  }

  /** What a rank takes, of its whole node on the largest shape; nothing where it must be whole. */
  private Resources takes(Need need) {
    if (need.rdma().isPresent()) {
      return Resources.NONE;
    }
    return need.each()
        .or(
            () ->
                Stream.concat(
                        snapshot.nodes().stream()
                            .filter(node -> need.fits(node.backend(), node.shape()))
                            .map(NodeView::shape),
                        snapshot.offers().stream()
                            .filter(offer -> need.fits(offer.backend(), offer.shape()))
                            .map(offer -> offer.shape()))
                    .distinct()
                    .map(Shape::resources)
                    .max(Searches.SMALLEST_FIRST.thenComparing(Resources::gpuModel)))
        .orElse(Resources.NONE);
  }

  private static Resources part(Resources all, int units, int of) {
    long bytes = all.memory().bytes();
    return new Resources(
        all.gpus() > 0 ? units : 0,
        all.gpus() > 0 ? all.gpuModel() : "",
        (int) ((long) all.cpus() * units / of),
        new ByteSize(bytes / of * units + bytes % of * units / of)); // No product is too large.
  }
}
