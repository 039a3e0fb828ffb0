// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.launch;

import dev.clustered.benchmarks.Suite;
import java.util.List;

/** What a cluster on this machine costs. */
public final class LaunchSuite implements Suite {

  @Override
  public String name() {
    return "launch";
  }

  @Override
  public List<Measurement> measurements() {
    return List.of(
        new LaunchTime(4, 300, 60),
        new LaunchTime(64, 3000, 12),
        new VerdictTime(),
        new IdleEngine(),
        new LogThroughput(),
        new ManyAgents());
  }
}
