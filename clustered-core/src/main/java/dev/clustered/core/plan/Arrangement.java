// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which gangs go into which domains, so that as much as can be is used, when each gang wants one
 * domain whole and not all of them find one.
 *
 * <ol>
 *   <li>The domains are filled one by one, once from the smallest and once from the largest, each
 *       with the gangs that leave least of it over, of equal choices with those of the larger ones;
 *       and once the largest gang that is left goes where it leaves least over. The best of these
 *       is taken.
 *   <li>Then any two domains of which one has something left are filled anew, as long as that uses
 *       more of them.
 *   <li>Where the first gang is to go somewhere, and a domain holds it, that is tried with the
 *       first gang in a domain of each size, and the best of it taken.
 * </ol>
 *
 * <p>The number of steps is limited. What comes of it depends on the sizes alone and not on the
 * order of the other gangs, but of equal gangs the earlier ones go somewhere. Not thread-safe.
 */
final class Arrangement {

  /** Of a gang that goes into no domain. */
  static final int NOWHERE = -1;

  /** So many sums are looked at, some milliseconds long; then the best so far is taken. */
  private static final long MOST_STEPS = 1_000_000;

  private static final int MOST_ROUNDS = 8;
  private static final int WAYS = 8;

  private final int[] sizes;
  private final int[] room;
  private final int[] waiting;
  private final int[][] held;
  private final int[] left;
  private int used;
  private long steps;

  /** Empty domains; of each size, rising, wait so many gangs. */
  private Arrangement(int[] sizes, int[] waiting, int[] room, long steps) {
    this.sizes = sizes;
    this.waiting = waiting.clone();
    this.room = room;
    this.left = room.clone();
    this.held = new int[room.length][0];
    this.steps = steps;
  }

  /**
   * The number of the domain of each gang, or {@link #NOWHERE}.
   *
   * @param free how many ranks each domain holds
   * @param gangs how many ranks each gang has
   * @param first whether the first gang is to go somewhere, if any domain holds it
   */
  static int[] of(int[] free, int[] gangs, boolean first) {
    int[] sizes = IntStream.of(gangs).sorted().distinct().toArray();
    int[] waiting = new int[sizes.length];
    for (int gang : gangs) {
      waiting[Arrays.binarySearch(sizes, gang)]++;
    }
    Map<Integer, Integer> homes = new TreeMap<>(); // By size.
    for (int domain = 0; domain < free.length && first; domain++) {
      if (free[domain] >= gangs[0]) {
        homes.putIfAbsent(free[domain], domain);
      }
    }
    if (homes.isEmpty()) {
      return best(sizes, waiting, free, MOST_STEPS).byGang(gangs, NOWHERE);
    }
    waiting[Arrays.binarySearch(sizes, gangs[0])]--;
    int most = -1;
    int[] byGang = {};
    for (int home : homes.values()) {
      int[] room = free.clone();
      room[home] -= gangs[0];
      Arrangement tried = best(sizes, waiting, room, MOST_STEPS / homes.size());
      if (tried.used > most) {
        most = tried.used;
        byGang = tried.byGang(gangs, home);
      }
    }
    return byGang;
  }

  private static Arrangement best(int[] sizes, int[] waiting, int[] room, long steps) {
    List<Integer> rising =
        IntStream.range(0, room.length)
            .boxed()
            .sorted(Comparator.comparingInt(domain -> room[domain]))
            .toList();
    List<Arrangement> tried = new ArrayList<>();
    for (int way = 0; way < 4; way++) {
      tried.add(new Arrangement(sizes, waiting, room, steps));
    }
    tried.get(0).largestFirst();
    rising.forEach(domain -> tried.get(1).fill(domain, false));
    rising.reversed().forEach(domain -> tried.get(2).fill(domain, false));
    int bound = tried.get(3).bound();
    Arrangement best =
        tried.stream().max(Comparator.comparingInt(arrangement -> arrangement.used)).orElseThrow();
    best.improve(bound);
    return best;
  }

  /** More than this cannot be used: of each domain what it alone could have, or all that wait. */
  private int bound() {
    long wanted =
        IntStream.range(0, sizes.length).mapToLong(i -> (long) sizes[i] * waiting[i]).sum();
    int usable = 0;
    for (int domain = 0; domain < room.length; domain++) {
      fill(domain, false);
      usable += used;
      clear(domain);
    }
    return (int) Math.min(usable, wanted);
  }

  private void largestFirst() {
    NavigableMap<Integer, TreeSet<Integer>> byLeft = new TreeMap<>();
    IntStream.range(0, room.length)
        .forEach(domain -> byLeft.computeIfAbsent(left[domain], l -> new TreeSet<>()).add(domain));
    for (int size = sizes.length - 1; size >= 0; size--) {
      var tightest = byLeft.ceilingEntry(sizes[size]);
      while (waiting[size] > 0 && tightest != null) {
        int domain = tightest.getValue().removeFirst();
        if (tightest.getValue().isEmpty()) {
          byLeft.remove(tightest.getKey());
        }
        put(domain, size);
        byLeft.computeIfAbsent(left[domain], l -> new TreeSet<>()).add(domain);
        tightest = byLeft.ceilingEntry(sizes[size]);
      }
    }
  }

  private void put(int domain, int... some) {
    int before = held[domain].length;
    held[domain] = Arrays.copyOf(held[domain], before + some.length);
    for (int i = 0; i < some.length; i++) {
      held[domain][before + i] = some[i];
      waiting[some[i]]--;
      left[domain] -= sizes[some[i]];
      used += sizes[some[i]];
    }
  }

  private void clear(int domain) {
    for (int size : held[domain]) {
      waiting[size]++;
    }
    held[domain] = new int[0];
    used -= room[domain] - left[domain];
    left[domain] = room[domain];
  }

  /** Fills an empty domain with gangs that wait, so that as little as can be is left over. */
  private void fill(int domain, boolean smallestFirst) {
    int most = room[domain];
    int[] reachedBy = new int[most + 1]; // The size of the last gang of each sum, plus one.
    int sum = 0;
    for (int turn = 0; turn < sizes.length && sum < most && steps > 0; turn++) {
      int size = smallestFirst ? turn : sizes.length - 1 - turn;
      if (waiting[size] > 0 && sizes[size] <= most) {
        sum = Math.max(sum, extend(reachedBy, size));
      }
    }
    while (sum > 0) {
      int size = reachedBy[sum] - 1;
      put(domain, size);
      sum -= sizes[size];
    }
  }

  /** Adds the sums that are reached with gangs of one size more; gives the largest of them. */
  private int extend(int[] reachedBy, int size) {
    int each = sizes[size];
    int[] times = new int[reachedBy.length];
    int largest = 0;
    for (int sum = each; sum < reachedBy.length; sum++) {
      int before = sum - each;
      boolean reached = before == 0 || reachedBy[before] > 0;
      if (reachedBy[sum] == 0 && reached && times[before] < waiting[size]) {
        reachedBy[sum] = size + 1;
        times[sum] = times[before] + 1;
        largest = sum;
      }
    }
    steps -= reachedBy.length;
    return largest;
  }

  private void improve(int bound) {
    boolean better = true;
    for (int round = 0; better && round < MOST_ROUNDS; round++) {
      better = false;
      for (int one = 0; one < room.length; one++) {
        for (int other = 0; other < room.length && left[one] > 0; other++) {
          if (one != other && used < bound && steps > 0) {
            better |= refill(one, other);
          }
        }
      }
    }
  }

  /** Fills two domains anew, in the ways that there are, if that uses more of them. */
  private boolean refill(int one, int other) {
    int[] ofOne = held[one];
    int[] ofOther = held[other];
    int before = used;
    for (int way = 0; way < WAYS; way++) {
      clear(one);
      clear(other);
      fill((way & 1) == 0 ? one : other, (way & 2) != 0);
      fill((way & 1) == 0 ? other : one, (way & 4) != 0);
      if (used > before) {
        return true;
      }
    }
    clear(one);
    clear(other);
    put(one, ofOne);
    put(other, ofOther);
    return false;
  }

  /** Of equal gangs the earlier ones go somewhere, into the first domains. */
  private int[] byGang(int[] gangs, int homeOfFirst) {
    Map<Integer, Deque<Integer>> homes = new TreeMap<>(); // By the size of the gangs in them.
    for (int domain = 0; domain < held.length; domain++) {
      for (int size : held[domain]) {
        homes.computeIfAbsent(sizes[size], s -> new ArrayDeque<>()).add(domain);
      }
    }
    int[] byGang = new int[gangs.length];
    for (int gang = 0; gang < gangs.length; gang++) {
      Deque<Integer> next = homes.get(gangs[gang]);
      boolean known = gang == 0 && homeOfFirst != NOWHERE;
      byGang[gang] = known ? homeOfFirst : next == null || next.isEmpty() ? NOWHERE : next.remove();
    }
    return byGang;
  }
}
