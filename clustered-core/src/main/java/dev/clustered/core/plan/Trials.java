// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Change;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.StartChange;
import dev.clustered.model.StartChange.Start;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Asks the planner whether a gang would start with a change, so often and no more. */
final class Trials {

  private final ClusterId gang;
  private final Rehearsal rehearsal;
  private int left;

  /**
   * Trials for a gang.
   *
   * @param most how many plans are made at most; when they are used up nothing starts any more
   */
  Trials(ClusterId gang, int most) {
    this.gang = gang;
    this.rehearsal = new Rehearsal(gang);
    this.left = most;
  }

  /** What a plan would do for the gang. */
  List<Decision> decisions(Snapshot snapshot) {
    return all(snapshot).stream().filter(decision -> isFor(decision, gang)).toList();
  }

  /** What a plan would do up to the gang, and for it. */
  List<Decision> all(Snapshot snapshot) {
    if (left == 0) {
      return List.of();
    }
    left--;
    return rehearsal.plan(snapshot);
  }

  /** How many of some nodes a plan would not give to the gang. */
  int notFor(Snapshot snapshot, Predicate<NodeId> some, int all) {
    Set<NodeId> own = new TreeSet<>();
    for (Decision decision : decisions(snapshot)) {
      switch (decision) {
        case Decision.Place place ->
            Stream.concat(place.assignments().stream(), place.spares().stream())
                .map(Decision.Assignment::node)
                .forEach(own::add);
        case Decision.Migrate migrate -> own.addAll(migrate.claim().nodes());
        case Decision.Preempt preempt -> own.addAll(preempt.claim().nodes());
        default -> {}
      }
    }
    return all - (int) own.stream().filter(some).count();
  }

  /** Whether a decision is about a gang that waits. */
  static boolean isFor(Decision decision, ClusterId gang) {
    return switch (decision) {
      case Decision.Place place -> place.gang().equals(gang);
      case Decision.Launch launch -> launch.gang().equals(gang);
      case Decision.Preempt preempt -> preempt.gang().equals(gang);
      case Decision.Migrate migrate -> migrate.gang().equals(gang);
      case Decision.Wait wait -> wait.gang().equals(gang);
      case Decision.Refuse refuse -> refuse.gang().equals(gang);
      case Decision.Replace other -> false;
      case Decision.Resize other -> false;
      case Decision.Grow other -> false;
      case Decision.Requeue other -> false;
      case Decision.Release other -> false;
    };
  }

  /** How the gang would start; empty when it would not. */
  Optional<Start> start(Snapshot snapshot) {
    return decisions(snapshot).stream().flatMap(decision -> start(decision).stream()).findFirst();
  }

  static Optional<Start> start(Decision decision) {
    return switch (decision) {
      case Decision.Place place -> Optional.of(Start.PLACE);
      case Decision.Launch launch -> Optional.of(Start.LAUNCH);
      case Decision.Migrate migrate -> Optional.of(Start.MIGRATE);
      case Decision.Preempt preempt -> Optional.of(Start.PREEMPT);
      default -> Optional.empty();
    };
  }

  /** The change, if the gang would start with it. */
  Optional<StartChange> with(Change change, Snapshot snapshot) {
    return start(snapshot).map(start -> new StartChange(change, start));
  }

  /** The first of some changes with which the gang would start. */
  <T> Optional<StartChange> first(
      List<T> some, Function<T, Change> change, Function<T, Optional<Snapshot>> changed) {
    for (T one : some) {
      Optional<StartChange> found =
          changed.apply(one).flatMap(snapshot -> with(change.apply(one), snapshot));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /**
   * The least number of a range with which the gang would start, where more never hurts: the
   * largest is tried first, then halves. What is given has been tried itself.
   */
  Optional<StartChange> least(
      int from, int to, IntFunction<Change> change, IntFunction<Optional<Snapshot>> changed) {
    if (from > to) {
      return Optional.empty();
    }
    Optional<StartChange> best = tried(to, change, changed);
    if (best.isEmpty()) {
      return best;
    }
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (int) (((long) low + high) >> 1);
      Optional<StartChange> with = tried(middle, change, changed);
      if (with.isPresent() && !worse(with.get(), best.get())) {
        best = with;
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return best;
  }

  /** A smaller number must not disturb anybody where a larger one would not. */
  private static boolean worse(StartChange one, StartChange other) {
    return one.disturbsOthers() && !other.disturbsOthers();
  }

  /** The largest number of a range with which the gang would start, where less never hurts. */
  Optional<StartChange> most(
      int from, int to, IntFunction<Change> change, IntFunction<Optional<Snapshot>> changed) {
    return least(-to, -from, number -> change.apply(-number), number -> changed.apply(-number));
  }

  private Optional<StartChange> tried(
      int number, IntFunction<Change> change, IntFunction<Optional<Snapshot>> changed) {
    return changed.apply(number).flatMap(snapshot -> with(change.apply(number), snapshot));
  }
}
