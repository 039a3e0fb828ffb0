// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.model.ClusterId;
import java.util.Comparator;

/** One attempt of one cluster: a node runs at most one rank of it. Immutable. */
record WorkKey(ClusterId cluster, int attempt) implements Comparable<WorkKey> {

  private static final Comparator<WorkKey> ORDER =
      Comparator.comparing(WorkKey::cluster).thenComparingInt(WorkKey::attempt);

  static WorkKey of(DesiredWork desired) {
    return new WorkKey(desired.cluster(), desired.attempt());
  }

  @Override
  public int compareTo(WorkKey other) {
    return ORDER.compare(this, other);
  }

  /** Fit for a file name, and different for every key: only the last hyphen is ours. */
  @Override
  public String toString() {
    return cluster + "-" + attempt;
  }
}
