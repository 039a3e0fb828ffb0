// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * When a workload whose attempt failed is run again: as another attempt, each rank where it was,
 * but for those whose node is lost, which get another one. What cannot pass, such as a missing
 * executable or a volume that is not there, is not tried again unless it is given restarts of its
 * own; what the user ended never is. Immutable and thread-safe.
 *
 * @param restarts how often at most, whatever the causes; 0 for never
 * @param budgets restarts after one cause, which do not count among {@code restarts}; 0 for never
 *     after that cause
 * @param withoutProgress how many attempts in a row may end without progress; 0 when nobody says
 *     how far the workload is. Progress is a larger number in {@code CLUSTERED_PROGRESS_FILE} than
 *     in any attempt before, such as the step of the last checkpoint; it gives all restarts back
 * @param pause how long the first restart waits after everything of the failed attempt has ended;
 *     each later one waits twice as long, up to {@code longestPause}. A quarter more or less is
 *     added, different for each cluster and attempt, so that what failed together does not come
 *     back together
 * @param longestPause the longest wait, before the quarter
 * @param never exit codes after which no restart follows
 * @param always exit codes after which a restart follows whatever came before, and that do not
 *     count
 */
public record RestartPolicy(
    int restarts,
    Map<RestartCause, Integer> budgets,
    int withoutProgress,
    Duration pause,
    Duration longestPause,
    Set<Integer> never,
    Set<Integer> always) {

  /** The workload runs once. */
  public static final RestartPolicy NEVER = upTo(0);

  public RestartPolicy {
    budgets = Collections.unmodifiableMap(new TreeMap<>(budgets));
    never = Collections.unmodifiableSet(new TreeSet<>(never));
    always = Collections.unmodifiableSet(new TreeSet<>(always));
  }

  /** So many restarts at most, the first after a second, the longest pause a minute. */
  public static RestartPolicy upTo(int restarts) {
    return new RestartPolicy(
        restarts,
        new TreeMap<>(),
        0,
        Duration.ofSeconds(1),
        Duration.ofMinutes(1),
        new TreeSet<>(),
        new TreeSet<>());
  }

  /** The same with so many restarts after this cause alone, zero or more, counted by themselves. */
  public RestartPolicy withBudget(RestartCause cause, int own) {
    Map<RestartCause, Integer> more = new TreeMap<>(budgets);
    more.put(cause, own);
    return new RestartPolicy(restarts, more, withoutProgress, pause, longestPause, never, always);
  }

  /**
   * The same for a workload that says how far it is: restarts are given back when it gets further,
   * and none follows after so many attempts in a row that did not.
   */
  public RestartPolicy withProgress(int mostAttemptsWithout) {
    return new RestartPolicy(
        restarts, budgets, mostAttemptsWithout, pause, longestPause, never, always);
  }

  /** The same with other pauses. */
  public RestartPolicy withPause(Duration first, Duration longest) {
    return new RestartPolicy(restarts, budgets, withoutProgress, first, longest, never, always);
  }

  /** The same with no restart after these exit codes, 1 to 255. */
  public RestartPolicy withNever(Set<Integer> codes) {
    return new RestartPolicy(
        restarts, budgets, withoutProgress, pause, longestPause, new TreeSet<>(codes), always);
  }

  /** The same with a restart after these exit codes, 1 to 255, that does not count. */
  public RestartPolicy withAlways(Set<Integer> codes) {
    return new RestartPolicy(
        restarts, budgets, withoutProgress, pause, longestPause, never, new TreeSet<>(codes));
  }

  /** Whether any restart could follow anything. */
  public boolean restartsAtAll() {
    return restarts > 0 || !always.isEmpty() || budgets.values().stream().anyMatch(own -> own > 0);
  }

  /** Whether a restart could follow the loss of a node. */
  public boolean replacesNodes() {
    return budgets.getOrDefault(RestartCause.NODE_LOST, restarts) > 0
        || budgets.getOrDefault(RestartCause.PREEMPTED, restarts) > 0;
  }
}
