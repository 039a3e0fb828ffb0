// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ranks in equal shares: no domain that has any has two more than another, and as few domains have
 * any as that allows.
 */
final class Balance {

  private Balance() {}

  /** The most ranks, of so many that are wanted, that domains with these limits hold so. */
  static int most(int[] limits, int wanted) {
    int[] falling = falling(limits);
    int holds = 0;
    int tooMany = wanted + 1;
    while (holds + 1 < tooMany) { // Fewer ranks find room wherever more of them do.
      int ranks = holds + (tooMany - holds) / 2;
      if (domains(falling, ranks) > 0) {
        holds = ranks;
      } else {
        tooMany = ranks;
      }
    }
    return holds;
  }

  /**
   * How many ranks each domain gets: the larger shares go to the domains with the lowest limits
   * that suffice, then the smaller ones, of equal domains to the first; nothing when they do not
   * hold them.
   */
  static int[] shares(int[] limits, int ranks) {
    int[] shares = new int[limits.length];
    int domains = domains(falling(limits), ranks);
    if (domains == 0) {
      return shares;
    }
    List<Integer> rising =
        IntStream.range(0, limits.length)
            .boxed()
            .sorted(Comparator.comparingInt(i -> limits[i]))
            .toList();
    int larger = ranks % domains;
    give(rising, limits, shares, ranks / domains + 1, larger);
    give(rising, limits, shares, ranks / domains, domains - larger);
    return shares;
  }

  private static void give(
      List<Integer> rising, int[] limits, int[] shares, int share, int domains) {
    int left = domains;
    for (int i : rising) {
      if (left > 0 && shares[i] == 0 && limits[i] >= share) {
        shares[i] = share;
        left--;
      }
    }
  }

  /** The fewest domains that hold so many ranks in equal shares; 0 when no number of them does. */
  private static int domains(int[] falling, int ranks) {
    for (int domains = 1; domains <= Math.min(falling.length, ranks); domains++) {
      int larger = ranks % domains;
      int share = ranks / domains;
      if (falling[domains - 1] >= share && (larger == 0 || falling[larger - 1] > share)) {
        return domains;
      }
    }
    return 0;
  }

  private static int[] falling(int[] limits) {
    int[] sorted = limits.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length / 2; i++) {
      int other = sorted[i];
      sorted[i] = sorted[sorted.length - 1 - i];
      sorted[sorted.length - 1 - i] = other;
    }
    return sorted;
  }
}
