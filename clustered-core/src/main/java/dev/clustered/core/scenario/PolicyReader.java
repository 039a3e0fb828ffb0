// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.PlanPolicy.Backfill;
import dev.clustered.core.plan.PlanPolicy.Launching;
import dev.clustered.core.plan.PlanPolicy.Migration;
import dev.clustered.core.plan.PlanPolicy.Preemption;
import dev.clustered.core.plan.QueueTree;
import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.core.plan.QueueUse;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.util.List;

/** Reads what an operator decides. */
final class PolicyReader {

  private static final PlanPolicy DEFAULT = new PlanPolicy(Duration.ofMinutes(10));

  /** More than anybody can have used: a billion of each for a million years. */
  private static final double MOST_USED = 1e23;

  private PolicyReader() {}

  /** The policy of a file; what it leaves out has its default. */
  static PlanPolicy policy(Fields file) {
    return file.object("policy", Part.POLICY).map(PolicyReader::read).orElse(DEFAULT);
  }

  private static PlanPolicy read(Fields policy) {
    Duration idle = policy.duration("idleNodeTime").orElse(DEFAULT.idleNodeTime());
    Backfill backfill =
        policy
            .object("backfill", Part.BACKFILL)
            .map(PolicyReader::backfill)
            .orElse(DEFAULT.backfill());
    Preemption preemption =
        policy
            .object("preemption", Part.PREEMPTION)
            .map(PolicyReader::preemption)
            .orElse(DEFAULT.preemption());
    Migration migration =
        policy
            .object("migration", Part.MIGRATION)
            .map(PolicyReader::migration)
            .orElse(DEFAULT.migration());
    Launching launching =
        policy
            .object("launching", Part.LAUNCHING)
            .map(PolicyReader::launching)
            .orElse(DEFAULT.launching());
    List<QueueShare> queues =
        policy.list("queues", Part.QUEUE).stream()
            .flatMap(queue -> queue.forEach("queue").stream())
            .map(PolicyReader::queue)
            .toList();
    Duration halfLife = policy.time("halfLife").orElse(QueueTree.NONE.halfLife());
    policy.end();
    QueueTree tree = policy.make("queues", () -> new QueueTree(queues, halfLife));
    return policy.make(
        () -> new PlanPolicy(idle, tree, backfill, preemption, migration, launching));
  }

  private static Backfill backfill(Fields fields) {
    int reservations = fields.whole("reservations", 1).orElse(Backfill.DEFAULT.reservations());
    Duration overdue = fields.duration("overdue").orElse(Backfill.DEFAULT.overdue());
    fields.end();
    return fields.make(() -> new Backfill(reservations, overdue));
  }

  private static Preemption preemption(Fields fields) {
    boolean enabled = fields.flag("enabled", Preemption.DEFAULT.enabled());
    Duration minimum =
        fields.duration("minimumRuntime").orElse(Preemption.DEFAULT.minimumRuntime());
    Duration patience = fields.duration("patience").orElse(Preemption.DEFAULT.patience());
    Duration drain = fields.duration("drain").orElse(Preemption.DEFAULT.drain());
    fields.end();
    return fields.make(() -> new Preemption(enabled, minimum, patience, drain));
  }

  private static Migration migration(Fields fields) {
    boolean enabled = fields.flag("enabled", Migration.NONE.enabled());
    Duration most = fields.duration("mostCost").orElse(Migration.NONE.mostCost());
    Duration every = fields.duration("every").orElse(Migration.NONE.every());
    var lastAt = fields.past("lastAt");
    fields.end();
    return fields.make(() -> new Migration(enabled, most, every, lastAt));
  }

  private static Launching launching(Fields fields) {
    Launching otherwise = DEFAULT.launching();
    Launching.Late late = fields.word("late", Launching.Late.class).orElse(otherwise.late());
    Duration first = fields.duration("firstCoolDown").orElse(otherwise.firstCoolDown());
    Duration longest = fields.duration("longestCoolDown").orElse(otherwise.longestCoolDown());
    fields.end();
    return fields.make("longestCoolDown", () -> new Launching(late, first, longest));
  }

  private static QueueShare queue(Fields fields) {
    String name = fields.text("queue");
    String parent = fields.optionalText("parent").orElse("");
    Resources nominal =
        fields
            .object("nominal", Part.RESOURCES)
            .map(PolicyReader::resources)
            .orElse(Resources.NONE);
    var borrowing = fields.object("borrowing", Part.RESOURCES).map(PolicyReader::resources);
    var lending = fields.object("lending", Part.RESOURCES).map(PolicyReader::resources);
    double weight = fields.number("weight", 1e-9, 1e9, 1);
    fields.end();
    fields.names().add(Names.Kind.QUEUE, name);
    return fields.make(
        name.isBlank() ? "queue" : "lending",
        () -> new QueueShare(name, parent, nominal, borrowing, lending, weight));
  }

  static QueueUse use(Fields fields) {
    String queue = fields.text("queue");
    double gpus = fields.number("gpuSeconds", 0, MOST_USED, 0);
    double cpus = fields.number("cpuSeconds", 0, MOST_USED, 0);
    double memory = fields.number("gibibyteSeconds", 0, MOST_USED, 0);
    var at = fields.past("at").orElse(fields.by());
    fields.end();
    if (!queue.isEmpty()) {
      fields.mention(Names.Kind.QUEUE, "queue", queue);
    }
    return fields.make(() -> new QueueUse(queue, gpus, cpus, memory, at));
  }

  static Resources resources(Fields fields) {
    Resources resources = amounts(fields);
    fields.end();
    return resources;
  }

  /** The amounts among the fields of something. */
  static Resources amounts(Fields fields) {
    int gpus = fields.whole("gpus", 0).orElse(0);
    String model = fields.optionalText("gpuModel").orElse("");
    int cpus = fields.whole("cpus", 0).orElse(0);
    ByteSize memory =
        fields
            .optionalText("memory")
            .map(text -> fields.read("memory", "a size such as 64 GiB", text, Quantities::size))
            .orElse(ByteSize.ZERO);
    return fields.make(() -> new Resources(gpus, model, cpus, memory));
  }
}
