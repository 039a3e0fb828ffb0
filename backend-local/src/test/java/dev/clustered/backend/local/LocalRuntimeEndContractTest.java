// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.ProcessRuntime;
import dev.clustered.spi.NodeRuntime;
import dev.clustered.testkit.RuntimeEndContract;

class LocalRuntimeEndContractTest extends RuntimeEndContract {

  @Override
  protected NodeRuntime runtime() {
    return new ProcessRuntime();
  }
}
