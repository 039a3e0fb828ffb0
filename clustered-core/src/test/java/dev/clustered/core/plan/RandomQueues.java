// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gpus;

import dev.clustered.core.plan.QueueTree.QueueShare;
import java.time.Duration;
import java.util.Random;

/** Random small trees of queues, with gangs that run in them. */
final class RandomQueues {

  private RandomQueues() {}

  /** A tree three levels deep; what runs was admitted by its limits. */
  static Queues queues(Random random) {
    Queues queues = new Queues();
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      inside(random, queues, "q" + i, "", 4 + random.nextInt(30), 0);
    }
    Quotas quotas = queues.quotas();
    for (int i = 0; i < random.nextInt(20); i++) {
      RunningGang gang = Queues.running("r" + i, queue(random, queues), 1 + random.nextInt(4));
      Total demand = Queues.demand(gang.members().size());
      if (quotas.refuses(gang.request(), demand).isEmpty()) {
        quotas.charge(gang.request(), demand);
        queues.running(gang);
      }
    }
    for (QueueShare queue : queues.shares) {
      if (random.nextInt(3) == 0) {
        queues.uses(
            new QueueUse(
                queue.name(),
                random.nextInt(1_000_000),
                0,
                0,
                NOW.minus(Duration.ofHours(random.nextInt(500)))));
      }
    }
    return queues;
  }

  private static void inside(
      Random random, Queues queues, String name, String parent, int gpus, int depth) {
    QueueShare queue = Queues.share(name, parent, gpus).withWeight(1 + random.nextInt(3));
    if (random.nextInt(3) == 0) {
      queue = queue.withBorrowing(gpus(random.nextInt(8)));
    }
    if (random.nextInt(3) == 0) {
      queue = queue.withLending(gpus(Math.min(gpus, random.nextInt(8))));
    }
    queues.shares(queue);
    int left = gpus;
    for (int i = 0; depth < 2 && i < random.nextInt(4); i++) {
      int part = random.nextInt(left + 1);
      left -= part;
      inside(random, queues, name + "." + i, name, part, depth + 1);
    }
  }

  /** One of the queues, or the root. */
  static String queue(Random random, Queues queues) {
    int one = random.nextInt(queues.shares.size() + 1);
    return one == queues.shares.size() ? "" : queues.shares.get(one).name();
  }
}
