// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ContractNames;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
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

  /** Linux hands over no longer variable, name and end included. */
  private static final int LARGEST_VARIABLE = 128 * 1024;

  /** Half of what Linux hands over with the usual stack limit; the rest is for the arguments. */
  private static final long LARGEST_ENVIRONMENT = 1024 * 1024;

  /** The sign of equality, the end of the string and the pointer to it. */
  private static final int OVERHEAD = 2 + Long.BYTES;

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
    environment.putAll(transferable(user));
    ContractNames.ENGINE.forEach(environment::remove);
    ContractNames.NODE.forEach(environment::remove);
    environment.putAll(contract);
    return environment;
  }

  private static Map<String, String> transferable(Map<String, String> user) {
    Map<String, String> kept = new LinkedHashMap<>(user);
    kept.entrySet().removeIf(entry -> size(entry) > LARGEST_VARIABLE);
    long total = kept.entrySet().stream().mapToLong(RankEnvironment::size).sum();
    if (total <= LARGEST_ENVIRONMENT) {
      return kept;
    }
    List<Map.Entry<String, String>> largestFirst =
        kept.entrySet().stream()
            .map(Map.Entry::copyOf)
            .sorted(
                Comparator.<Map.Entry<String, String>>comparingLong(RankEnvironment::size)
                    .reversed())
            .toList();
    for (Map.Entry<String, String> entry : largestFirst) {
      if (total <= LARGEST_ENVIRONMENT) {
        break;
      }
      kept.remove(entry.getKey());
      total -= size(entry);
    }
    return kept;
  }

  private static long size(Map.Entry<String, String> entry) {
    return length(entry.getKey()) + length(entry.getValue()) + OVERHEAD;
  }

  private static long length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
