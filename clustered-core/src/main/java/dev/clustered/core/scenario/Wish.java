// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Decision;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** What should be decided for a gang. */
interface Wish {

  /** What is wrong with a decision. Never asked about one of another kind. */
  List<String> wrong(Decision decision, World world);

  /** The kind of decision. */
  Class<? extends Decision> kind();

  private static void add(List<String> wrong, boolean right, String text) {
    if (!right) {
      wrong.add(text);
    }
  }

  /**
   * Nodes of the pool.
   *
   * @param spares exactly these beside them; none when empty
   * @param roles how many ranks of each role, where that is asked
   */
  record Placed(
      NodesExpected nodes,
      Optional<List<NodeId>> spares,
      int spareCount,
      Map<String, Integer> roles)
      implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Place.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      Decision.Place place = (Decision.Place) decision;
      List<String> wrong = new ArrayList<>(nodes.wrong(nodesOf(place.assignments()), world));
      List<NodeId> held = nodesOf(place.spares());
      if (spares.isPresent()) {
        add(
            wrong,
            spares.get().equals(held),
            "expected spares %s, got %s".formatted(spares.get(), held));
      } else {
        add(
            wrong,
            spareCount == held.size(),
            "expected %d spares, got %s".formatted(spareCount, held));
      }
      if (!roles.isEmpty()) {
        Map<String, Integer> got = new TreeMap<>();
        place.roles().forEach(role -> got.put(role.name(), role.nodes()));
        add(wrong, roles.equals(got), "expected roles %s, got %s".formatted(roles, got));
      }
      return wrong;
    }
  }

  static List<NodeId> nodesOf(List<Decision.Assignment> assignments) {
    return assignments.stream().map(Decision.Assignment::node).toList();
  }

  /** A launch. */
  record Launched(String offer, int nodes, Optional<Integer> rdma) implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Launch.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      Decision.Launch launch = (Decision.Launch) decision;
      List<String> wrong = new ArrayList<>();
      add(
          wrong,
          launch.offer().equals(world.offers.get(offer)),
          "expected the offer %s, got %s".formatted(offer, launch.offer()));
      add(
          wrong,
          nodes == launch.nodes(),
          "expected %d nodes, got %d".formatted(nodes, launch.nodes()));
      Optional<Integer> rate = launch.rdma().map(wish -> wish.minimumGigabits());
      add(wrong, rdma.equals(rate), "expected RDMA of %s, got %s".formatted(rdma, rate));
      return wrong;
    }
  }

  /**
   * The end of others.
   *
   * @param exactly these
   * @param count so many, of those among
   */
  record Victims(
      Optional<Set<ClusterId>> exactly,
      Optional<Integer> count,
      Optional<Set<ClusterId>> among,
      List<ShrinkWish> shrinks,
      Optional<NodesExpected> claim)
      implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Preempt.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      Decision.Preempt preempt = (Decision.Preempt) decision;
      Set<ClusterId> victims = new TreeSet<>(preempt.victims());
      List<String> wrong = new ArrayList<>();
      exactly.ifPresent(
          e ->
              add(
                  wrong,
                  e.equals(victims),
                  "expected the victims %s, got %s".formatted(e, victims)));
      count.ifPresent(
          c ->
              add(wrong, c == victims.size(), "expected %d victims, got %s".formatted(c, victims)));
      among.ifPresent(
          a ->
              add(
                  wrong,
                  a.containsAll(victims),
                  "expected victims among %s, got %s".formatted(a, victims)));
      add(
          wrong,
          shrinks.size() == preempt.shrinks().size(),
          "expected %d gangs to shrink, got %s".formatted(shrinks.size(), preempt.shrinks()));
      for (ShrinkWish shrink : shrinks) {
        add(
            wrong,
            preempt.shrinks().stream().anyMatch(shrink::met),
            "expected %s, got %s".formatted(shrink, preempt.shrinks()));
      }
      claim.ifPresent(
          c -> c.wrong(preempt.claim().nodes(), world).forEach(w -> wrong.add("kept nodes: " + w)));
      return wrong;
    }
  }

  /** Ranks that a gang should give up. */
  record ShrinkWish(ClusterId gang, Optional<List<Integer>> ranks, int count) {
    boolean met(Decision.Shrink shrink) {
      return gang.equals(shrink.gang())
          && ranks.map(shrink.ranks()::equals).orElse(true)
          && count == shrink.ranks().size();
    }
  }

  /** Others moved. */
  record Moved(
      List<MoveWish> moves,
      int count,
      Optional<Set<ClusterId>> among,
      Optional<Duration> cost,
      Optional<NodesExpected> claim)
      implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Migrate.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      Decision.Migrate migrate = (Decision.Migrate) decision;
      List<String> wrong = new ArrayList<>();
      add(
          wrong,
          count == migrate.moves().size(),
          "expected %d moves, got %s".formatted(count, migrate.moves()));
      for (MoveWish move : moves) {
        add(
            wrong,
            migrate.moves().stream().anyMatch(move::met),
            "expected %s, got %s".formatted(move, migrate.moves()));
      }
      among.ifPresent(
          a ->
              add(
                  wrong,
                  migrate.moves().stream().allMatch(move -> a.contains(move.gang())),
                  "expected moves of %s alone, got %s".formatted(a, migrate.moves())));
      cost.ifPresent(
          c ->
              add(
                  wrong,
                  c.equals(migrate.cost()),
                  "expected %s lost, got %s".formatted(c, migrate.cost())));
      claim.ifPresent(
          c -> c.wrong(migrate.claim().nodes(), world).forEach(w -> wrong.add("kept nodes: " + w)));
      return wrong;
    }
  }

  /** A rank that should move. */
  record MoveWish(ClusterId gang, int rank, NodeId from, Optional<Set<NodeId>> to) {
    boolean met(Decision.Move move) {
      return gang.equals(move.gang())
          && rank == move.rank()
          && from.equals(move.from())
          && to.map(nodes -> nodes.contains(move.to().node())).orElse(true);
    }
  }

  /** Other nodes for lost ones, in rank order. */
  record Replaced(List<ReplacementWish> replacements) implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Replace.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      List<Decision.Replacement> got = ((Decision.Replace) decision).replacements();
      List<String> wrong = new ArrayList<>();
      add(
          wrong,
          got.size() == replacements.size(),
          "expected %d replacements, got %s".formatted(replacements.size(), got));
      for (int i = 0; i < Math.min(got.size(), replacements.size()); i++) {
        add(
            wrong,
            replacements.get(i).met(got.get(i)),
            "expected %s, got %s".formatted(replacements.get(i), got.get(i)));
      }
      return wrong;
    }
  }

  /** Another node for a rank, one of some. */
  record ReplacementWish(int rank, NodeId lost, Set<NodeId> to, boolean spare) {
    boolean met(Decision.Replacement replacement) {
      return rank == replacement.rank()
          && lost.equals(replacement.lost())
          && to.contains(replacement.to().node())
          && spare == replacement.spare();
    }
  }

  /** Fewer ranks: those that it goes on with. */
  record Resized(List<Integer> ranks) implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Resize.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      List<Integer> got = ((Decision.Resize) decision).ranks();
      List<String> wrong = new ArrayList<>();
      add(wrong, ranks.equals(got), "expected ranks %s, got %s".formatted(ranks, got));
      return wrong;
    }
  }

  /** The end of a gang that cannot go on, which waits again. */
  record Requeued(ReasonsExpected reasons) implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Requeue.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      return reasons.wrong(((Decision.Requeue) decision).reasons());
    }
  }

  /**
   * A wait.
   *
   * @param start when the plan should expect the gang to start, where that is asked
   * @param outlook what else should be known of it
   */
  record Waits(ReasonsExpected reasons, Optional<StartExpected> start, OutlookExpected outlook)
      implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Wait.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      Decision.Wait wait = (Decision.Wait) decision;
      List<String> wrong = new ArrayList<>(reasons.wrong(wait.reasons()));
      start.flatMap(expected -> expected.wrong(wait.expectedStart())).ifPresent(wrong::add);
      wrong.addAll(outlook.wrong(wait.gang(), world));
      return wrong;
    }
  }

  /** A moment at which a gang should start; empty for one that nobody can tell. */
  record StartExpected(Optional<Instant> at) {
    static Optional<StartExpected> read(Fields fields, String field) {
      return fields
          .optionalText(field)
          .map(text -> text.equals("unknown") ? Optional.<Instant>empty() : fields.moment(field))
          .map(StartExpected::new);
    }

    Optional<String> wrong(Optional<Instant> got) {
      return at.equals(got)
          ? Optional.empty()
          : Optional.of("expected to start at %s, got %s".formatted(moment(at), moment(got)));
    }

    private static String moment(Optional<Instant> at) {
      return at.map(Instant::toString).orElse("no known moment");
    }
  }

  /** A refusal. */
  record Refused(String code, List<String> says, OutlookExpected outlook) implements Wish {
    @Override
    public Class<? extends Decision> kind() {
      return Decision.Refuse.class;
    }

    @Override
    public List<String> wrong(Decision decision, World world) {
      Decision.Refuse refuse = (Decision.Refuse) decision;
      List<String> wrong = new ArrayList<>();
      add(
          wrong,
          code.equals(refuse.code().name()),
          "expected %s, got %s".formatted(code, refuse.code()));
      for (String part : says) {
        add(
            wrong,
            refuse.message().contains(part),
            "expected a message with \"%s\", got \"%s\"".formatted(part, refuse.message()));
      }
      wrong.addAll(outlook.wrong(refuse.gang(), world));
      return wrong;
    }
  }

  /**
   * Why it waits.
   *
   * @param fields a reason each, with the fields that it should have
   * @param says texts that its sentences should have
   */
  record ReasonsExpected(List<JsonNode> fields, List<String> says) {
    List<String> wrong(List<dev.clustered.model.WaitReason> reasons) {
      if (fields.isEmpty() && says.isEmpty()) {
        return List.of();
      }
      List<JsonNode> trees =
          reasons.stream()
              .map(
                  reason ->
                      dev.clustered.agent.protocol.Json.mapper().<JsonNode>valueToTree(reason))
              .toList();
      List<String> wrong = new ArrayList<>();
      for (JsonNode expected : fields) {
        add(
            wrong,
            trees.stream().anyMatch(tree -> has(tree, expected)),
            "expected the reason %s, got %s".formatted(expected, trees));
      }
      String sentences = reasons.toString();
      for (String part : says) {
        add(
            wrong,
            sentences.contains(part),
            "expected reasons with \"%s\", got %s".formatted(part, sentences));
      }
      return wrong;
    }

    private static boolean has(JsonNode tree, JsonNode expected) {
      for (String name : expected.propertyNames()) {
        if (!expected.get(name).equals(tree.get(name))) {
          return false;
        }
      }
      return true;
    }
  }
}
