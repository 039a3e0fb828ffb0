// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.ContractNames;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RankEnvironmentTest {

  @Test
  void takesOnlyTheBaseFromTheHost() {
    Map<String, String> host = Map.of("PATH", "/bin", "MASTER_ADDR", "left over", "SECRET", "x");
    assertThat(RankEnvironment.of(host, Map.of(), Map.of())).isEqualTo(Map.of("PATH", "/bin"));
  }

  @Test
  void letsTheUserOverwriteTheBaseAndTheContractOverwriteTheUser() {
    Map<String, String> environment =
        RankEnvironment.of(
            Map.of("PATH", "/bin"),
            Map.of("PATH", "/opt/bin", ContractNames.MASTER_PORT, "29500", "OMP", "1"),
            Map.of(ContractNames.MASTER_PORT, "21000"));
    assertThat(environment)
        .isEqualTo(Map.of("PATH", "/opt/bin", ContractNames.MASTER_PORT, "21000", "OMP", "1"));
  }

  @Test
  void dropsTheUsersValueOfAContractVariableThatTheContractDoesNotGive() {
    assertThat(
            RankEnvironment.of(
                Map.of(), Map.of(ContractNames.TASK_INPUT_FILE, "/etc/passwd"), Map.of()))
        .isEmpty();
  }

  @Test
  void leavesOutWhatLinuxCannotHandOverLargestFirst() {
    Map<String, String> user = new LinkedHashMap<>();
    user.put("HUGE", "x".repeat(200_000));
    for (int index = 0; index < 20; index++) {
      user.put("BIG" + index, "x".repeat(100_000 - index));
    }
    user.put("SMALL", "kept");
    Map<String, String> environment = RankEnvironment.of(Map.of(), user, Map.of());
    assertThat(environment).containsKeys("SMALL", "BIG19").doesNotContainKeys("HUGE", "BIG0");
    assertThat(environment).hasSize(11);
  }
}
