// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parts an environment into what a process can receive and what can only stand in a file: a
 * variable over the limit of one string, and the largest ones until the rest fits the budget.
 * Stateless.
 */
public final class EnvironmentBudget {
  /** Bytes of all variables together, with their zeros and pointers. */
  static final long TOTAL_BYTES = 1L << 20;

  private static final int PER_VARIABLE = 1 + Long.BYTES;

  private EnvironmentBudget() {}

  /**
   * An environment in two parts, in the given order.
   *
   * @param kept what the process gets
   * @param omitted names of the variables left out
   */
  public record Fitted(Map<String, String> kept, List<String> omitted) {
    public Fitted {
      kept = Collections.unmodifiableMap(new LinkedHashMap<>(kept));
      omitted = List.copyOf(omitted);
    }

    /** Names and counts only: values may be secrets. */
    @Override
    public String toString() {
      return "Fitted[kept=" + kept.size() + ", omitted=" + omitted + "]";
    }
  }

  /** Parts an environment; of equally large variables the one given first is left out first. */
  public static Fitted fit(Map<String, String> environment) {
    Map<String, Long> sizes = new LinkedHashMap<>();
    environment.forEach((name, value) -> sizes.put(name, bytes(name, value)));
    Set<String> omitted = new LinkedHashSet<>();
    sizes.forEach(
        (name, size) -> {
          if (size > ExecLimits.STRING_BYTES) {
            omitted.add(name);
          }
        });
    leaveOutLargest(sizes, omitted);
    Map<String, String> kept = new LinkedHashMap<>(environment);
    kept.keySet().removeAll(omitted);
    List<String> names = new ArrayList<>(environment.keySet());
    names.retainAll(omitted);
    return new Fitted(kept, names);
  }

  private static void leaveOutLargest(Map<String, Long> sizes, Set<String> omitted) {
    Map<String, Long> left = new LinkedHashMap<>(sizes);
    left.keySet().removeAll(omitted);
    long total = left.values().stream().mapToLong(size -> size + PER_VARIABLE).sum();
    List<Map.Entry<String, Long>> largestFirst = new ArrayList<>(left.entrySet());
    largestFirst.sort(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()));
    for (Map.Entry<String, Long> variable : largestFirst) {
      if (total <= TOTAL_BYTES) {
        return;
      }
      omitted.add(variable.getKey());
      total -= variable.getValue() + PER_VARIABLE;
    }
  }

  private static long bytes(String name, String value) {
    return name.getBytes(StandardCharsets.UTF_8).length
        + 1L
        + value.getBytes(StandardCharsets.UTF_8).length;
  }
}
