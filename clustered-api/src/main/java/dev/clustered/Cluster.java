// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.FabricReport;
import dev.clustered.model.Node;
import dev.clustered.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A gang that has its nodes, with the workload started on every rank. Thread-safe. */
public interface Cluster extends AutoCloseable {

  /** Its identity. */
  ClusterId id();

  /** What was asked for. */
  ClusterSpec spec();

  /** Where it is in its life. */
  ClusterState state();

  /** The number of the try at running the workload; the first is 1, each restart adds one. */
  int attempt();

  /** Its nodes in rank order. */
  List<Node> nodes();

  /** The node of rank 0. */
  Node leader();

  /** What is known of its RDMA fabric; empty unless RDMA was asked for. */
  Optional<FabricReport> fabric();

  /**
   * What its ranks wrote; the stream is to be closed.
   *
   * @throws IllegalArgumentException when there is no such rank, or no such attempt yet
   */
  LogStream logs(LogQuery query);

  /**
   * Runs a command beside a rank that runs: on its node, in its sandbox and working directory, with
   * its environment. Its standard input is empty. Whatever it leaves running is ended after it.
   *
   * @param rank 0 to size − 1
   * @param command program and arguments; a program without a slash is looked up in the rank's PATH
   * @param limit how long it may run; what runs longer is ended with all that it started
   * @throws IllegalArgumentException when there is no such rank, the command is empty or the limit
   *     is not positive
   * @throws dev.clustered.model.ClusterException with RANK_NOT_RUNNING when the rank does not run,
   *     EXEC_LIMIT when the limit is over or one of its outputs has more than 16 MiB,
   *     EXEC_UNSUPPORTED when its node cannot do it
   * @throws InterruptedException when the thread is interrupted; the command has then been ended
   */
  ExecResult exec(int rank, List<String> command, Duration limit) throws InterruptedException;

  /**
   * Starts a command beside a rank that runs, for streams of any size or a terminal. Returns at
   * once; the process is to be closed, and ends with its rank at the latest.
   *
   * @param rank 0 to size − 1
   * @throws IllegalArgumentException when there is no such rank
   * @throws dev.clustered.model.ClusterException with RANK_NOT_RUNNING when the rank does not run
   */
  RemoteProcess exec(int rank, ExecRequest request);

  /** What it used so far. */
  Usage usage();

  /** Waits until every rank has ended; the cluster is still to be closed. */
  ClusterExit join() throws InterruptedException;

  /** How it ends, when every rank has ended. */
  CompletableFuture<ClusterExit> exit();

  /**
   * The results of the ranks that the success policy asks for, in rank order: with {@code
   * ALL_RANKS} of every rank whose role ends by itself, with {@code LEADER} of rank 0 alone, and
   * with {@code ANY_RANK} of the ranks that succeeded by themselves and gave one. {@link #exit} has
   * the result of each rank that gave one, whatever was asked.
   *
   * @param type what each rank's JSON result is read as
   * @throws dev.clustered.model.ClusterException when it has not succeeded, or of those asked for
   *     there is none of this type, naming the ranks that gave none
   */
  <T> List<T> results(Class<T> type) throws InterruptedException;

  /**
   * Ends it: SIGTERM to every rank at once, SIGKILL to what is left after the grace. Returns when
   * nothing is left.
   */
  void stop(Duration grace);

  /** Ends it with the specification's grace if it runs, and returns when nothing is left. */
  @Override
  void close();
}
