// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.durable;

import dev.clustered.benchmarks.Suite;
import java.util.List;

/** What it costs to keep the journal. */
public final class DurableSuite implements Suite {

  @Override
  public String name() {
    return "durable";
  }

  @Override
  public List<Measurement> measurements() {
    return List.of(new AppendRate());
  }
}
