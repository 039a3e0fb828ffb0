// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of what queues may have, over random trees; a failure names its seed. */
class QuotaPropertiesTest {

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 150);
  }

  /** What is used, counted apart from the product's own way to count. */
  private static final class Ledger {
    final Queues queues;
    final TreeMap<String, RunningGang> running = new TreeMap<>();

    Ledger(Queues queues) {
      this.queues = queues;
      queues.running.forEach(gang -> running.put(gang.id().value(), gang));
    }

    boolean within(String inner, String outer) {
      String at = inner;
      while (!at.isEmpty() && !at.equals(outer)) {
        at = share(at).parent();
      }
      return at.equals(outer);
    }

    QueueShare share(String name) {
      return queues.shares.stream().filter(q -> q.name().equals(name)).findFirst().orElseThrow();
    }

    int used(String queue) {
      return running.values().stream()
          .filter(gang -> within(gang.request().terms().queue(), queue))
          .mapToInt(gang -> gang.members().size())
          .sum();
    }

    int owned(String queue) {
      return queue.isEmpty()
          ? queues.shares.stream()
              .filter(q -> q.parent().isEmpty())
              .mapToInt(q -> q.nominal().gpus())
              .sum()
          : share(queue).nominal().gpus();
    }

    List<String> names() {
      List<String> names = new ArrayList<>(List.of(""));
      queues.shares.forEach(queue -> names.add(queue.name()));
      return names;
    }

    boolean leaf(String queue) {
      return queues.shares.stream().noneMatch(q -> q.parent().equals(queue));
    }
  }

  private static int some(Optional<Resources> limit) {
    return limit.map(Resources::gpus).orElse(1_000_000);
  }

  private static boolean admits(Quotas quotas, RunningGang gang) {
    Total demand = Queues.demand(gang.members().size());
    boolean admitted = quotas.refuses(gang.request(), demand).isEmpty();
    if (admitted) {
      quotas.charge(gang.request(), demand);
    }
    return admitted;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void neverUsesMoreThanThereIsAtAnyLevel(long seed) {
    Random random = new Random(seed);
    Queues queues = RandomQueues.queues(random);
    Ledger ledger = new Ledger(queues);
    Quotas quotas = queues.quotas();
    for (int i = 0; i < 80; i++) {
      RunningGang gang =
          Queues.running("n" + i, RandomQueues.queue(random, queues), 1 + random.nextInt(9));
      if (admits(quotas, gang)) {
        ledger.running.put(gang.id().value(), gang);
      }
      if (random.nextInt(4) == 0 && !ledger.running.isEmpty()) {
        quotas.giveBack(ledger.running.pollFirstEntry().getValue());
      }
      requireWithinLimits(seed, ledger);
      requireOwnersKeepWhatTheyDoNotLend(seed, ledger, quotas);
    }
  }

  private static void requireWithinLimits(long seed, Ledger ledger) {
    for (String name : ledger.names()) {
      int borrows = name.isEmpty() ? 0 : some(ledger.share(name).borrowing());
      assertThat(ledger.used(name))
          .as("seed %d: queue '%s'", seed, name)
          .isLessThanOrEqualTo(ledger.owned(name) + borrows);
    }
  }

  /** Whatever the others have, what a queue does not lend is there for it. */
  private static void requireOwnersKeepWhatTheyDoNotLend(long seed, Ledger ledger, Quotas quotas) {
    for (QueueShare queue : ledger.queues.shares) {
      int kept = queue.nominal().gpus() - some(queue.lending()) - ledger.used(queue.name());
      if (ledger.leaf(queue.name()) && kept > 0) {
        assertThat(quotas.refuses(Queues.gang("k", queue.name(), kept), Queues.demand(kept)))
            .as("seed %d: %s", seed, queue)
            .isEmpty();
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void refusesNothingThatIsThereWithoutLimits(long seed) {
    Random random = new Random(seed);
    Queues limited = RandomQueues.queues(random);
    Queues queues = new Queues();
    limited.shares.forEach(q -> queues.shares(new QueueShare(q.name(), q.parent(), q.nominal())));
    Ledger ledger = new Ledger(queues);
    Quotas quotas = queues.quotas();
    for (int i = 0; i < 60; i++) {
      RunningGang gang =
          Queues.running("n" + i, RandomQueues.queue(random, queues), 1 + random.nextInt(9));
      boolean room = ledger.used("") + gang.members().size() <= ledger.owned("");
      assertThat(admits(quotas, gang)).as("seed %d: gang %s", seed, gang.id()).isEqualTo(room);
      if (room) {
        ledger.running.put(gang.id().value(), gang);
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void returnsExactlyWhatWasCharged(long seed) {
    Random random = new Random(seed);
    Queues queues = RandomQueues.queues(random);
    Ledger ledger = new Ledger(queues);
    Quotas quotas = queues.quotas();
    String before = state(ledger, quotas);
    int mark = quotas.mark();
    for (int i = 0; i < 40; i++) {
      RunningGang gang =
          Queues.running("r" + random.nextInt(20), RandomQueues.queue(random, queues), 1 + i % 5);
      if (random.nextBoolean()) {
        quotas.charge(gang.request(), Queues.demand(gang.members().size()));
      } else {
        quotas.giveBack(gang);
      }
    }
    quotas.backTo(mark);
    assertThat(state(ledger, quotas)).as("seed %d: taken back", seed).isEqualTo(before);

    queues.running.forEach(quotas::giveBack);
    queues.running.clear();
    assertThat(state(ledger, quotas))
        .as("seed %d: all given back", seed)
        .isEqualTo(state(ledger, queues.quotas()));
  }

  /** What each queue could have more of, and what it is said to have. */
  private static String state(Ledger ledger, Quotas quotas) {
    StringBuilder state = new StringBuilder();
    for (String name : ledger.names()) {
      int room = 0;
      while (room < 200
          && quotas.refuses(Queues.gang("probe", name, 1), Queues.demand(room + 1)).isEmpty()) {
        room++;
      }
      double share = quotas.accounts().leaf(name).share(quotas.accounts().root());
      state.append("%s: %d, %.9f%n".formatted(name, room, share));
    }
    return state.toString();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void letsEveryOwnerHaveAllThatIsItsOwn(long seed) {
    Random random = new Random(seed);
    Queues queues = RandomQueues.queues(random);
    Quotas quotas = queues.quotas();
    Ledger ledger = new Ledger(queues);
    for (int i = 0; i < 60; i++) {
      RunningGang gang =
          Queues.running("f" + i, RandomQueues.queue(random, queues), 1 + random.nextInt(4));
      if (admits(quotas, gang)) {
        ledger.running.put(gang.id().value(), gang);
      }
    }
    for (QueueShare queue : queues.shares) {
      int own = queue.nominal().gpus() - ledger.used(queue.name());
      if (ledger.leaf(queue.name()) && own > 0) {
        int mark = quotas.mark();
        reclaim(seed, ledger, quotas, Queues.gang("owner", queue.name(), own));
        quotas.backTo(mark);
      }
    }
  }

  private static void reclaim(long seed, Ledger ledger, Quotas quotas, GangRequest owner) {
    Total demand = Queues.demand(owner.nodes());
    List<RunningGang> victims = new ArrayList<>();
    while (quotas.refuses(owner, demand).isPresent()) {
      RunningGang victim =
          ledger.running.values().stream()
              .filter(gang -> quotas.mayReclaim(owner, gang, demand))
              .findFirst()
              .orElseThrow(
                  () -> new AssertionError("seed %d: nobody to end for %s".formatted(seed, owner)));
      quotas.giveBack(victim);
      victims.add(victim);
    }
    quotas.charge(owner, demand);
    RunningGang placed = Queues.running(owner, Scenario.gpus(1));
    for (RunningGang victim : victims) {
      assertThat(
              quotas.mayReclaim(victim.request(), placed, Queues.demand(victim.members().size())))
          .as("seed %d: %s ends in turn for whom it was ended", seed, victim.id())
          .isFalse();
    }
  }
}
