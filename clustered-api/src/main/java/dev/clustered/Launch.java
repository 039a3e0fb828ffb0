// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.CheckReturnValue;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.RdmaOptions;
import java.time.Duration;

/**
 * A launch to be made. Every {@code with…} returns a changed copy; nothing happens before {@link
 * #await} or {@link #start}, so a launch whose result is dropped is a compile error under Error
 * Prone. Immutable and thread-safe.
 */
@CheckReturnValue
public interface Launch {

  /** With all nodes on one RDMA fabric, or not at all. */
  Launch withRdma();

  /** With all nodes on one RDMA fabric that meets the options, or not at all. */
  Launch withRdma(RdmaOptions options);

  /** On this backend only. */
  Launch withBackend(String name);

  /**
   * With a limit from the terminal call until the cluster runs; without one it waits as long as it
   * takes.
   *
   * @param limit more than zero
   */
  Launch withReadyTimeout(Duration limit);

  /** With a listener to the cluster's events; may be called more than once. */
  Launch withListener(ClusterListener listener);

  /**
   * With a key of the caller's: of all launches with one key, from however many threads and however
   * often the engine's program crashes in between, there is one cluster. A later launch joins the
   * cluster of the first, as long as the engine remembers that; its listeners hear what comes.
   *
   * @param key 1 to 200 characters
   */
  Launch withIdempotencyKey(String key);

  /**
   * With a cluster that outlives the engine: {@link ClusterEngine#close} leaves it, and its nodes
   * run the workload to its end without any engine, or to the time limit that its specification has
   * to have. An engine that is opened with the same store and directory goes on with it.
   *
   * @throws dev.clustered.model.InvalidSpecException by the terminal call when the engine has no
   *     directory that stays, or the backend's nodes end with this program
   */
  Launch detached();

  /**
   * Says what would happen if the launch was begun now, at what price, and why not sooner. A dry
   * run: nothing is launched, kept or recorded, no listener hears of it, and another launch may be
   * faster. Waits until the backends have said what they offer; an interruption does not end that
   * wait and is kept.
   *
   * @return what the engine would do first, with reasons and the cheapest change where it would
   *     wait or be refused
   * @throws dev.clustered.model.ClusterException when the engine is closed, or is closed meanwhile
   * @throws dev.clustered.model.InvalidSpecException when no backend could ever take the launch, as
   *     {@link #start} does
   */
  LaunchPreview plan();

  /**
   * Waits until the cluster runs on every rank.
   *
   * @return the running cluster, to be closed
   * @throws dev.clustered.model.ClusterException when it cannot; everything is released by then
   * @throws InterruptedException when interrupted; everything is released by then
   */
  Cluster await() throws InterruptedException;

  /** Begins the launch and returns at once. */
  PendingCluster start();
}
