// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.EnvironmentBudget;
import dev.clustered.agent.protocol.ContractNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The whole environment of a rank: a small base of the host, then the user's variables, then the
 * contract, each overwriting what comes before. Nothing else is inherited.
 */
final class RankEnvironment {

  /** What a rank gets of the agent's own environment. */
  static final List<String> BASE = List.of("PATH", "HOME", "USER", "LANG", "TZ");

  private RankEnvironment() {}

  /**
   * Puts the layers together. User variables that Linux cannot hand over are left out, the largest
   * first; {@link ContractNames#ENVIRONMENT_FILE} has them all.
   */
  static Map<String, String> of(
      Map<String, String> host, Map<String, String> user, Map<String, String> contract) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (String name : BASE) {
      String value = host.get(name);
      if (value != null) {
        environment.put(name, value);
      }
    }
    environment.putAll(EnvironmentBudget.fit(user).kept());
    ContractNames.ENGINE.forEach(environment::remove);
    ContractNames.NODE.forEach(environment::remove);
    environment.putAll(contract);
    return environment;
  }
}
