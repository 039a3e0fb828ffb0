// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.ErrorCode;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How far a rank is, as its agent sees it. */
public sealed interface RankReport {

  /** Directory, files and volumes are there; rank 0 has reserved the port. */
  record Prepared(int port) implements RankReport {}

  /** It has taken the contract and sees so many ranks. */
  record Joined(int size, int rank) implements RankReport {}

  /** Its process runs. */
  record Running(long processId) implements RankReport {}

  /**
   * It runs, and in what it does nothing has changed.
   *
   * @param quiet how long there was no line in its log and no heartbeat, over the limit
   * @param idle the little processor time that it used within the limit
   * @param late how old its heartbeat is, over the limit
   * @param computed the processor time that it used, where that is not idle; empty when it is, or
   *     cannot be seen
   * @param gpus what its GPUs did; empty where it has none, or nobody looked
   */
  record Still(
      Optional<Duration> quiet,
      Optional<Duration> idle,
      Optional<Duration> late,
      Optional<Duration> computed,
      Optional<Gpus> gpus)
      implements RankReport {

    /** It does something, or nobody knows yet. */
    static final Still NOTHING =
        new Still(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
  }

  /**
   * What the GPUs of a rank did, by their indices on the node or their UUIDs.
   *
   * @param busy those on which a kernel ran within the limit
   * @param idle those on which none ran for the limit or longer
   * @param idleFor how long none has run on any of the idle ones; zero when there is none
   * @param unseen why one or all of them cannot be seen
   */
  record Gpus(List<String> busy, List<String> idle, Duration idleFor, Optional<String> unseen) {

    public Gpus {
      busy = List.copyOf(busy);
      idle = List.copyOf(idle);
    }
  }

  /** Its process has ended. */
  record Exited(ProcessEnd end, Instant when, boolean killed, Optional<OutOfMemory> outOfMemory)
      implements RankReport {
    /** Without a lack of memory. */
    public Exited(ProcessEnd end, Instant when, boolean killed) {
      this(end, when, killed, Optional.empty());
    }
  }

  /**
   * Nothing of it runs and its whole log is stored.
   *
   * @param reachedStep how far it said that its workload is
   */
  record Finished(
      Optional<ProcessEnd> end,
      Optional<Instant> when,
      boolean killed,
      Optional<OutOfMemory> outOfMemory,
      Optional<Long> reachedStep,
      Optional<String> result)
      implements RankReport {
    /** Without a lack of memory, and without a word on how far it got. */
    public Finished(
        Optional<ProcessEnd> end, Optional<Instant> when, boolean killed, Optional<String> result) {
      this(end, when, killed, Optional.empty(), Optional.empty(), result);
    }
  }

  /** Its agent could not do what was wanted. */
  record Failed(ErrorCode code, String message) implements RankReport {}
}
