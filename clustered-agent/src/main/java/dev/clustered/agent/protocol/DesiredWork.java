// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterNotice;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How far one rank of one attempt should be. A later step implies those before it. Immutable and
 * thread-safe.
 *
 * @param step how far
 * @param contract the variables of the contract; empty before {@link Step#JOIN}
 * @param preamble what stands before the command; {@link Preamble#NONE} before {@link Step#JOIN}
 * @param grace the time from SIGTERM to SIGKILL, given with every step: an agent whose lease is
 *     over uses it too
 * @param notice what the rank is to be told of an end to come
 * @param hung why the attempt counts as hung, so that the stacks of its processes are written to
 *     the log before it is stopped; empty otherwise
 * @param alone how long after its begin it may run on when no engine is heard for the length of the
 *     lease; empty when it ends then
 */
public record DesiredWork(
    ClusterId cluster,
    int attempt,
    int rank,
    Step step,
    Map<String, String> contract,
    Preamble preamble,
    Duration grace,
    Optional<ClusterNotice> notice,
    Optional<String> hung,
    Optional<Duration> alone) {

  /** How far work should be. */
  public enum Step {
    /** Fetch the work document; make directory, files and volumes; the leader reserves a port. */
    PREPARE,
    /** Take the contract and check it against the node's own view. */
    JOIN,
    /** Start the process. */
    RUN,
    /** End the process and whatever it started. */
    STOP
  }

  public DesiredWork {
    contract = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(contract));
  }

  /** Of a cluster that ends with its engine. */
  public DesiredWork(
      ClusterId cluster,
      int attempt,
      int rank,
      Step step,
      Map<String, String> contract,
      Preamble preamble,
      Duration grace,
      Optional<ClusterNotice> notice,
      Optional<String> hung) {
    this(cluster, attempt, rank, step, contract, preamble, grace, notice, hung, Optional.empty());
  }

  /** Of an attempt that is not hung. */
  public DesiredWork(
      ClusterId cluster,
      int attempt,
      int rank,
      Step step,
      Map<String, String> contract,
      Preamble preamble,
      Duration grace,
      Optional<ClusterNotice> notice) {
    this(cluster, attempt, rank, step, contract, preamble, grace, notice, Optional.empty());
  }
}
