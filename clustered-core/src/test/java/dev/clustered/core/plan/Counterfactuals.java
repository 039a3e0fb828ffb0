// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.PlanPolicy.Preemption;
import dev.clustered.model.ClusterId;
import dev.clustered.model.StartChange;

/** Short words for the tests of the cheapest change. */
final class Counterfactuals {

  private Counterfactuals() {}

  static String cheapest(Snapshot snapshot, String gang) {
    return Counterfactual.of(snapshot, new ClusterId(gang))
        .map(StartChange::toString)
        .orElse("nothing");
  }

  static String cheapest(Running pool, String gang) {
    return cheapest(pool.snapshot(), gang);
  }

  /** Racks r1 and r2 with two nodes each. */
  static Running racks() {
    Running pool = new Running();
    pool.nodes(Running.rack("r1", 2)).nodes(Running.rack("r2", 2));
    pool.policy = pool.policy.withPreemption(Preemption.NONE);
    return pool;
  }
}
