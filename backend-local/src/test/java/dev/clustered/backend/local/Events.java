// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.ClusterListener;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterState;
import dev.clustered.testkit.Eventually;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that keeps what it heard. Thread-safe. */
final class Events implements ClusterListener {

  private final List<ClusterEvent> heard = new CopyOnWriteArrayList<>();

  @Override
  public void on(ClusterEvent event) {
    heard.add(event);
  }

  /** Everything heard so far, in order. */
  List<ClusterEvent> all() {
    return heard;
  }

  /** Everything of one kind heard so far, in order. */
  <T extends ClusterEvent> List<T> of(Class<T> kind) {
    return heard.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The states heard so far, in order. */
  List<ClusterState> states() {
    return of(ClusterEvent.StateChanged.class).stream()
        .map(ClusterEvent.StateChanged::state)
        .toList();
  }

  /** The first process of a rank; waits until it is heard of. */
  long process(int rank) {
    return process(1, rank);
  }

  /** The process of a rank in an attempt; waits until it is heard of. */
  long process(int attempt, int rank) {
    return Eventually.within(Gangs.PATIENCE)
        .present(
            "the process of rank " + rank,
            () ->
                of(ClusterEvent.RankStarted.class).stream()
                    .filter(event -> event.attempt() == attempt && event.rank() == rank)
                    .map(ClusterEvent.RankStarted::processId)
                    .findFirst());
  }

  /** The verdict; waits until it is heard. */
  ClusterEvent.Verdict verdict() {
    return Eventually.within(Gangs.PATIENCE)
        .present("a verdict", () -> of(ClusterEvent.Verdict.class).stream().findFirst());
  }

  /** Waits until a state is heard. */
  void reached(ClusterState state) {
    Eventually.within(Gangs.PATIENCE).isTrue("it came to " + state, () -> states().contains(state));
  }
}
