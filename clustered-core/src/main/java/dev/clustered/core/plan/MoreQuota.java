// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Change;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Resources;
import dev.clustered.model.StartChange;
import dev.clustered.model.WaitReason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** How much more a queue would have to own for a gang of it to start. */
final class MoreQuota {

  /** How often another limit may show when one is lifted. */
  private static final int MOST_LIMITS = 8;

  private final Snapshot snapshot;
  private final GangRequest gang;
  private final Trials trials;

  MoreQuota(Snapshot snapshot, GangRequest gang, Trials trials) {
    this.snapshot = snapshot;
    this.gang = gang;
    this.trials = trials;
  }

  /** What the queue of the gang, and each around it, would have to own beside what it does. */
  Optional<StartChange> find() {
    Set<String> path = path();
    if (path.isEmpty()) {
      return Optional.empty();
    }
    Resources more = Resources.NONE;
    List<Decision> decisions = trials.all(snapshot);
    for (int i = 0; i < MOST_LIMITS; i++) {
      Optional<WaitReason.QueueLimit> limit = limit(decisions);
      if (limit.isEmpty()) {
        return Optional.empty();
      }
      more = plus(more, lacking(limit.get()));
      Snapshot changed = snapshot.withPolicy(policy(path, more));
      decisions = trials.all(changed);
      Optional<StartChange.Start> start =
          decisions.stream()
              .filter(decision -> Trials.isFor(decision, gang.id()))
              .flatMap(decision -> Trials.start(decision).stream())
              .findFirst();
      if (start.isPresent()) {
        Resources others = Owed.beyond(more, own(changed));
        Change change = new Change.MoreQuota(gang.terms().queue(), more, others);
        return Optional.of(new StartChange(change, start.get()));
      }
    }
    return Optional.empty();
  }

  /** What the gang itself would be charged at least. */
  private Resources own(Snapshot changed) {
    long gpus = 0;
    long cpus = 0;
    long memory = 0;
    for (Total.Part part : new Quotas(changed.policy().queues(), changed).least(gang).parts()) {
      gpus += part.each().gpus() * part.times();
      cpus += part.each().cpus() * part.times();
      memory += part.each().memory().bytes() * part.times();
    }
    return new Resources(
        Math.clamp(gpus, 0, Integer.MAX_VALUE),
        "",
        Math.clamp(cpus, 0, Integer.MAX_VALUE),
        new ByteSize(Math.max(0, memory)));
  }

  /** The queue of the gang and those around it; none when it is charged to the root. */
  private Set<String> path() {
    Map<String, QueueShare> queues = new LinkedHashMap<>();
    snapshot.policy().queues().queues().forEach(queue -> queues.put(queue.name(), queue));
    Set<String> path = new TreeSet<>();
    QueueShare at = queues.get(gang.terms().queue());
    while (at != null) {
      path.add(at.name());
      at = queues.get(at.parent());
    }
    return path;
  }

  /** The limit that keeps the gang waiting, or the one of its queue that it waits behind. */
  private Optional<WaitReason.QueueLimit> limit(List<Decision> decisions) {
    List<WaitReason> own = reasons(decisions, gang.id());
    Optional<WaitReason.QueueLimit> limit = limitOf(own);
    return limit.isPresent()
        ? limit
        : own.stream()
            .filter(WaitReason.Behind.class::isInstance)
            .flatMap(
                behind -> limitOf(reasons(decisions, ((WaitReason.Behind) behind).head())).stream())
            .findFirst();
  }

  private static List<WaitReason> reasons(List<Decision> decisions, ClusterId gang) {
    return decisions.stream()
        .filter(decision -> Trials.isFor(decision, gang))
        .filter(Decision.Wait.class::isInstance)
        .flatMap(decision -> ((Decision.Wait) decision).reasons().stream())
        .toList();
  }

  private static Optional<WaitReason.QueueLimit> limitOf(List<WaitReason> reasons) {
    return reasons.stream()
        .filter(WaitReason.QueueLimit.class::isInstance)
        .map(WaitReason.QueueLimit.class::cast)
        .findFirst();
  }

  private static Resources lacking(WaitReason.QueueLimit reason) {
    Resources asked = reason.asked();
    Resources used = reason.used();
    Resources limit = reason.limit();
    Resources kept = reason.kept();
    long memory =
        lack(
            asked.memory().bytes(),
            used.memory().bytes() + kept.memory().bytes(),
            limit.memory().bytes());
    return new Resources(
        (int) lack(asked.gpus(), (long) used.gpus() + kept.gpus(), limit.gpus()),
        limit.gpuModel(),
        (int) lack(asked.cpus(), (long) used.cpus() + kept.cpus(), limit.cpus()),
        new ByteSize(memory));
  }

  private static long lack(long asked, long gone, long limit) {
    return Math.max(0, asked - (limit - gone));
  }

  private PlanPolicy policy(Set<String> path, Resources more) {
    QueueTree tree = snapshot.policy().queues();
    List<QueueShare> queues =
        tree.queues().stream()
            .map(queue -> path.contains(queue.name()) ? richer(queue, more) : queue)
            .toList();
    return snapshot.policy().withQueues(new QueueTree(queues, tree.halfLife()));
  }

  private static QueueShare richer(QueueShare queue, Resources more) {
    return new QueueShare(
        queue.name(),
        queue.parent(),
        plus(queue.nominal(), more),
        queue.borrowing(),
        queue.lending(),
        queue.weight());
  }

  /** Both, of the model of whichever has GPUs. */
  private static Resources plus(Resources one, Resources more) {
    return one.gpus() == 0 ? more.plus(one) : one.plus(more);
  }
}
