// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How far one rank of one attempt is. Immutable and thread-safe.
 *
 * @param status how far
 * @param stillness in what it does nothing, while it runs; empty where nobody looks
 */
public record ObservedWork(
    ClusterId cluster, int attempt, int rank, Status status, Optional<Stillness> stillness) {

  /** Where nobody looks whether it does anything. */
  public ObservedWork(ClusterId cluster, int attempt, int rank, Status status) {
    this(cluster, attempt, rank, status, Optional.empty());
  }

  /**
   * In what a rank does nothing, as it was when something of it was last found to have begun or
   * ended.
   *
   * @param quiet how long there was no line in its log and no heartbeat; empty within the limit
   * @param idle the processor time that it used within the limit; empty when it was a hundredth of
   *     a core or more, or cannot be seen
   * @param late how old its heartbeat was; empty within the limit, and before the first
   * @param computed the processor time that it used, where that is not idle; empty when it is, or
   *     cannot be seen
   * @param gpus what its GPUs did; empty where it has none, or nobody looks
   */
  public record Stillness(
      Optional<Duration> quiet,
      Optional<Duration> idle,
      Optional<Duration> late,
      Optional<Duration> computed,
      Optional<Gpus> gpus) {

    /** It does something, or nobody knows yet. */
    public static final Stillness NONE =
        new Stillness(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /**
     * Whether the same has begun. While nothing has, it makes no difference what can be seen and
     * what cannot.
     */
    public boolean sameAs(Stillness other) {
      if (!begun() && !other.begun()) {
        return true;
      }
      return quiet.isPresent() == other.quiet.isPresent()
          && idle.isPresent() == other.idle.isPresent()
          && late.isPresent() == other.late.isPresent()
          && computed.isPresent() == other.computed.isPresent()
          && idleGpus().equals(other.idleGpus())
          && unseenGpus() == other.unseenGpus();
    }

    private boolean begun() {
      return quiet.isPresent() || idle.isPresent() || late.isPresent() || !idleGpus().isEmpty();
    }

    private List<String> idleGpus() {
      return gpus.map(Gpus::idle).orElse(List.of());
    }

    private boolean unseenGpus() {
      return gpus.flatMap(Gpus::unseen).isPresent();
    }
  }

  /**
   * What the GPUs of a rank did, by their indices on the node or their UUIDs.
   *
   * @param busy those on which a kernel ran within the limit
   * @param idle those on which none ran for the limit or longer
   * @param idleFor how long none has run on any of the idle ones; zero when there is none
   * @param unseen why one or all of them cannot be seen
   */
  public record Gpus(
      List<String> busy, List<String> idle, Duration idleFor, Optional<String> unseen) {

    public Gpus {
      busy = List.copyOf(busy);
      idle = List.copyOf(idle);
    }
  }

  /** How far work is. */
  public sealed interface Status {

    /**
     * Directory, files and volumes are being made.
     *
     * @param received bytes of the files sent that have come
     * @param wanted bytes of them that were not there already; 0 while that is not known
     */
    record Preparing(long received, long wanted) implements Status {

      /** Nothing has come, and how much will is not known. */
      public Preparing() {
        this(0, 0);
      }
    }

    /**
     * Ready to join.
     *
     * @param port the port reserved on the node's address by rank 0; 0 on every other rank
     */
    record Prepared(int port) implements Status {}

    /**
     * The contract is taken.
     *
     * @param size the number of ranks as this rank sees it
     * @param rank the rank that the contract gives it
     */
    record Joined(int size, int rank) implements Status {}

    /** The process runs. */
    record Running(long processId) implements Status {}

    /**
     * The process has ended; what it left behind may still be ending.
     *
     * @param end how it ended
     * @param at when, by the node's clock
     * @param killed whether this agent ended it
     * @param outOfMemory what the node's kernel says of a lack of memory
     */
    record Exited(ProcessEnd end, Instant at, boolean killed, Optional<OutOfMemory> outOfMemory)
        implements Status {}

    /**
     * Nothing of it runs any more and every byte of its log has been taken by the engine.
     *
     * @param end how the process ended; empty when it never started
     * @param at when
     * @param killed whether this agent ended it
     * @param outOfMemory what the node's kernel says of a lack of memory
     * @param step the last number that it gave as its progress
     * @param logBytes bytes that it wrote
     * @param result the JSON text it left as its result
     */
    record Finished(
        Optional<ProcessEnd> end,
        Optional<Instant> at,
        boolean killed,
        Optional<OutOfMemory> outOfMemory,
        Optional<Long> step,
        long logBytes,
        Optional<String> result)
        implements Status {

      /** Its process was never started. */
      public static final Finished NEVER_STARTED =
          new Finished(
              Optional.empty(),
              Optional.empty(),
              false,
              Optional.empty(),
              Optional.empty(),
              0,
              Optional.empty());
    }

    /** It could not be prepared, joined or started by the agent. */
    record Failed(ErrorCode code, String message) implements Status {}
  }
}
