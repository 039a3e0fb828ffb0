// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * When a workload of which a rank failed is run again: as another attempt, on the nodes that the
 * cluster has, each rank where it was. Whatever cannot pass, such as a missing executable or a
 * volume that is not there, is never tried again, nor is what the user ended. Immutable and
 * thread-safe.
 *
 * @param restarts how often at most; 0 for never
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
    int restarts, Duration pause, Duration longestPause, Set<Integer> never, Set<Integer> always) {

  /** The workload runs once. */
  public static final RestartPolicy NEVER = upTo(0);

  public RestartPolicy {
    never = Collections.unmodifiableSet(new TreeSet<>(never));
    always = Collections.unmodifiableSet(new TreeSet<>(always));
  }

  /** So many restarts at most, the first after a second, the longest pause a minute. */
  public static RestartPolicy upTo(int restarts) {
    return new RestartPolicy(
        restarts, Duration.ofSeconds(1), Duration.ofMinutes(1), new TreeSet<>(), new TreeSet<>());
  }

  /** The same with other pauses. */
  public RestartPolicy withPause(Duration first, Duration longest) {
    return new RestartPolicy(restarts, first, longest, never, always);
  }

  /** The same with no restart after these exit codes, 1 to 255. */
  public RestartPolicy withNever(Set<Integer> codes) {
    return new RestartPolicy(restarts, pause, longestPause, new TreeSet<>(codes), always);
  }

  /** The same with a restart after these exit codes, 1 to 255, that does not count. */
  public RestartPolicy withAlways(Set<Integer> codes) {
    return new RestartPolicy(restarts, pause, longestPause, never, new TreeSet<>(codes));
  }

  /** Whether any restart could follow anything. */
  public boolean restartsAtAll() {
    return restarts > 0 || !always.isEmpty();
  }
}
