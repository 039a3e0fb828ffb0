// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.running;

import dev.clustered.benchmarks.Suite;
import java.util.List;

/** What it costs when ranks fail, come back and are ended. */
public final class RunningSuite implements Suite {

  @Override
  public String name() {
    return "running";
  }

  @Override
  public List<Measurement> measurements() {
    return List.of(
        new RestartTime(4, 500, 40),
        new RestartTime(64, 5_000, 12),
        new CancelTime(4, 20),
        new VerdictOfMany(64, 40),
        new MergedView(),
        new SilenceTime(3));
  }
}
