// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import dev.clustered.model.Offer;
import java.util.Collection;
import java.util.List;

/** Launches, lists and terminates instances. Thread-safe, blocking and interruptible. */
public interface CapacityProvider {

  /** What could be launched now, in a stable order. */
  List<Offer> offers();

  /**
   * Launches all nodes of the request in one zone and, when asked, on one fabric, or none. The same
   * launch id gives the same answer and launches nothing twice.
   *
   * @return one instance for each bootstrap, in that order; their agents may still be booting
   * @throws dev.clustered.model.CapacityException when there are not enough; nothing is left
   * @throws dev.clustered.model.ClusterException for any other failure; nothing is left
   */
  List<Instance> launch(LaunchRequest request) throws InterruptedException;

  /** Every instance labelled with the owner, in any state; what is missing may only be unknown. */
  List<Instance> list(String owner) throws InterruptedException;

  /**
   * Ends instances and returns when they are ended for sure; those that are gone already are no
   * error.
   */
  void terminate(Collection<String> instanceIds) throws InterruptedException;

  /**
   * What has become known since the last call, each notice once. Called about once a second; must
   * not block.
   */
  default List<Notice> notices() {
    return List.of();
  }
}
