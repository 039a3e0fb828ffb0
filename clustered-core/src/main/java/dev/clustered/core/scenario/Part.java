// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import java.util.List;
import java.util.stream.Stream;

/** The kinds of objects in a scenario file, and the fields that each may have. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are copies that nobody changes
enum Part {
  SCENARIO(
      List.of(
          "$schema",
          "source",
          "story",
          "now",
          "policy",
          "shapes",
          "pool",
          "offers",
          "launches",
          "coolDowns",
          "running",
          "waiting",
          "uses",
          "expect",
          "steps",
          "invalid")),
  POLICY(
      List.of(
          "idleNodeTime",
          "backfill",
          "preemption",
          "migration",
          "launching",
          "queues",
          "halfLife")),
  BACKFILL(List.of("reservations", "overdue")),
  PREEMPTION(List.of("enabled", "minimumRuntime", "patience", "drain")),
  LAUNCHING(List.of("late", "firstCoolDown", "longestCoolDown")),
  MIGRATION(List.of("enabled", "mostCost", "every", "lastAt")),
  QUEUE(List.of("queue", "parent", "nominal", "borrowing", "lending", "weight")),
  RESOURCES(List.of("gpus", "gpuModel", "cpus", "memory")),
  SHAPE(List.of("shape", "gpus", "gpuModel", "cpus", "memory", "nics", "rdma")),
  NODES(
      List.of(
          "nodes",
          "shape",
          "backend",
          "at",
          "health",
          "taints",
          "attributes",
          "launch",
          "unit",
          "used",
          "idleSince")),
  OFFER(List.of("offer", "backend", "shape", "zone", "market", "price", "boot", "available")),
  LAUNCH(List.of("launch", "gang", "offer", "nodes", "decidedAt", "granted", "deadline")),
  COOL_DOWN(List.of("backend", "zone", "shape", "until", "failure")),
  USE(List.of("queue", "gpuSeconds", "cpuSeconds", "gibibyteSeconds", "at")),
  LAYOUT(List.of("required", "preferred", "blocks", "spread")),
  BLOCK(List.of("level", "ranks")),
  SPREAD(List.of("level", "most", "even")),
  ROLE(with(Fields.NEED, "role", "nodes", "minimum", "layout")),
  ALTERNATIVE(with(Fields.NEED, "nodes", "minimum", "roles")),
  CLAIM(List.of("nodes", "until")),
  WAITING(
      with(
          with(Fields.NEED, Fields.TERMS.toArray(String[]::new)),
          "gang",
          "queuedAt",
          "nodes",
          "minimum",
          "roles",
          "layout",
          "spares",
          "alternatives",
          "claim",
          "arrives",
          "every",
          "runs")),
  RUNNING(
      with(
          with(Fields.NEED, Fields.TERMS.toArray(String[]::new)),
          "gang",
          "queuedAt",
          "nodes",
          "minimum",
          "roles",
          "layout",
          "spares",
          "alternatives",
          "on",
          "leaving",
          "started",
          "expectedEnd",
          "phase",
          "endsFor",
          "runs")),
  STEP(List.of("story", "carryOut", "after", "do", "run", "expect")),
  CHANGE(
      List.of(
          "ends",
          "returns",
          "left",
          "cancelled",
          "arrives",
          "health",
          "nodes",
          "gone",
          "granted",
          "launched",
          "launchFails",
          "offers",
          "policy",
          "coolDowns",
          "resized",
          "uses")),
  HEALTH(List.of("nodes", "is")),
  GRANTED(List.of("gang", "nodes", "deadline")),
  RESIZED(List.of("gang", "nodes", "minimum")),
  RUN(List.of("for", "drain", "expect")),
  EXPECT(List.of("gangs", "releases", "fixpoint")),
  HISTORY(List.of("starts", "ends", "preemptions")),
  EXPECTED(
      List.of(
          "gang", "place", "launch", "preempt", "migrate", "replace", "resize", "grow", "requeue",
          "wait", "refuse")),
  PLACE(
      List.of(
          "nodes",
          "among",
          "count",
          "within",
          "blocks",
          "perDomain",
          "hops",
          "domains",
          "spares",
          "roles")),
  DOMAINS(List.of("level", "count")),
  PER_DOMAIN(List.of("level", "most", "least")),
  ROLE_COUNT(List.of("role", "nodes")),
  LAUNCH_EXPECTED(List.of("offer", "nodes", "rdma")),
  PREEMPT(List.of("victims", "count", "among", "shrinks", "claim")),
  SHRINK(List.of("gang", "ranks", "count")),
  MIGRATE(List.of("moves", "count", "among", "cost", "claim")),
  MOVE(List.of("gang", "rank", "from", "to")),
  REPLACEMENT(List.of("rank", "lost", "to", "spare")),
  GROW(List.of("nodes", "spares")),
  WAIT(List.of("reasons", "says", "expectedStart", "start", "change")),
  REFUSE(List.of("code", "says", "change")),
  WHEN(List.of("gang", "at", "by", "notBefore", "every"));

  private final List<String> fields;

  Part(List<String> fields) {
    this.fields = fields;
  }

  private static List<String> with(List<String> some, String... more) {
    return Stream.concat(Stream.of(more), some.stream()).toList();
  }

  /** The fields that there are. */
  List<String> fields() {
    return fields;
  }

  /** The name of its definition in the schema. */
  String definition() {
    StringBuilder name = new StringBuilder();
    for (String word : name().split("_", -1)) {
      String lower = word.toLowerCase(java.util.Locale.ROOT);
      name.append(
          name.isEmpty() ? lower : Character.toUpperCase(lower.charAt(0)) + lower.substring(1));
    }
    return name.toString();
  }

  /** Fields that several kinds have. */
  private static final class Fields {
    static final List<String> NEED =
        List.of("backend", "shape", "each", "perNode", "rdma", "attributes", "tolerates");
    static final List<String> TERMS =
        List.of("queue", "priority", "preemptible", "timeLimit", "moveCost");
  }
}
