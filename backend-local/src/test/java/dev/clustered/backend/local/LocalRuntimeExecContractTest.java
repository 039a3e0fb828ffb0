// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.ProcessRuntime;
import dev.clustered.spi.NodeRuntime;
import dev.clustered.testkit.RuntimeExecContract;

class LocalRuntimeExecContractTest extends RuntimeExecContract {

  @Override
  protected NodeRuntime runtime() {
    return new ProcessRuntime();
  }
}
