// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Plan;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a plan should be: these decisions and nothing else.
 *
 * @param entries in the order in which a gang's own decisions come
 * @param releases just these nodes are given back
 * @param fixpoint whether a plan after this one has nothing left to do
 */
record PlanExpected(List<Entry> entries, Set<NodeId> releases, boolean fixpoint) {

  /**
   * The same decision for each of some gangs.
   *
   * @param domains in how many domains of a level all their nodes are together
   */
  record Entry(List<ClusterId> gangs, Wish wish, Optional<NodesExpected.Hops> domains) {}

  static PlanExpected read(Fields fields, WishReader wishes) {
    List<Entry> entries = new ArrayList<>();
    for (Fields expected : fields.list("gangs", Part.EXPECTED)) {
      List<ClusterId> gangs =
          expected.requiredNames("gang").stream()
              .map(name -> wishes.gang(expected, "gang", name))
              .toList();
      List<Fields> each = new ArrayList<>();
      if (expected.value("gang").filter(node -> node.isString()).isPresent()) {
        each.addAll(expected.forEach("gang"));
      }
      Optional<NodesExpected.Hops> domains = domains(expected, wishes);
      if (each.isEmpty() || domains.isPresent()) {
        entries.add(new Entry(gangs, wishes.wish(expected), domains));
      } else {
        for (int i = 0; i < each.size(); i++) {
          entries.add(new Entry(List.of(gangs.get(i)), wishes.wish(each.get(i)), domains));
        }
      }
    }
    Set<NodeId> releases = new TreeSet<>(wishes.nodes(fields, "releases"));
    boolean fixpoint = fields.flag("fixpoint", true);
    fields.end();
    return new PlanExpected(entries, releases, fixpoint);
  }

  private static Optional<NodesExpected.Hops> domains(Fields expected, WishReader wishes) {
    return expected
        .value("place")
        .filter(node -> node.isObject())
        .flatMap(
            node ->
                expected.object("place", Part.PLACE).orElseThrow().object("domains", Part.DOMAINS))
        .map(f -> new NodesExpected.Hops(wishes.level(f), f.requiredWhole("count", 1)));
  }

  /** What is not as it should be, in a plan for a world as it was before. */
  List<String> unmet(Plan plan, World before) {
    Map<ClusterId, Deque<Decision>> left = new TreeMap<>();
    Set<NodeId> released = new TreeSet<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Release release) {
        released.addAll(release.nodes());
      } else {
        ClusterId gang = Sentences.gang(decision).orElseThrow();
        left.computeIfAbsent(gang, g -> new ArrayDeque<>()).add(decision);
      }
    }
    List<String> unmet = new ArrayList<>();
    for (Entry entry : entries) {
      List<NodeId> together = new ArrayList<>();
      for (ClusterId gang : entry.gangs()) {
        Decision decision = left.getOrDefault(gang, new ArrayDeque<>()).poll();
        unmet.addAll(unmet(gang, entry.wish(), decision, before));
        if (decision instanceof Decision.Place place) {
          together.addAll(Wish.nodesOf(place.assignments()));
        }
      }
      entry.domains().ifPresent(d -> domains(d, entry, together, before).ifPresent(unmet::add));
    }
    left.values()
        .forEach(
            others ->
                others.forEach(
                    other -> unmet.add("not expected: " + String.join(";", Sentences.of(other)))));
    if (!released.equals(releases)) {
      unmet.add("expected to give back %s, got %s".formatted(releases, released));
    }
    return unmet;
  }

  private static List<String> unmet(
      ClusterId gang,
      Wish wish,
      @org.jspecify.annotations.Nullable Decision decision,
      World world) {
    String expected = "%s: expected to %s".formatted(gang, Sentences.kind(wish.kind()));
    if (decision == null) {
      return List.of(expected + ", the plan has nothing for it");
    }
    if (!wish.kind().isInstance(decision)) {
      return List.of(expected + ", got: " + String.join(";", Sentences.of(decision)));
    }
    return wish.wrong(decision, world).stream().map(wrong -> gang + ": " + wrong).toList();
  }

  private static Optional<String> domains(
      NodesExpected.Hops expected, Entry entry, List<NodeId> nodes, World world) {
    Set<String> domains = NodesExpected.domains(nodes, expected.level(), world);
    return domains.size() == expected.count()
        ? Optional.empty()
        : Optional.of(
            "%s to %s: expected %d different %ss, got %d: %s"
                .formatted(
                    entry.gangs().getFirst(),
                    entry.gangs().getLast(),
                    expected.count(),
                    expected.level(),
                    domains.size(),
                    domains));
  }
}
