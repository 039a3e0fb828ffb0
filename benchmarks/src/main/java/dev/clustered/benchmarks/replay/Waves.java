// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import java.util.List;

/**
 * In how many waves the 53 gangs of Knavigator's benchmark run on 32 nodes; nine is the optimum.
 */
public final class Waves implements Suite.Measurement {

  @Override
  public String name() {
    return "waves";
  }

  @Override
  public List<Figure> run() {
    return List.of(
        Figure.lower(name(), Knavigator.waves(), "waves", "53 gangs, 288 node-slots on 32 nodes")
            .withBar(9));
  }
}
