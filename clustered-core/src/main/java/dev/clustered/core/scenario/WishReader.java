// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Layout;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads what should be decided for a gang.
 *
 * @param gangs the gangs that there are, at any time
 * @param nodes the nodes that there are, at any time
 * @param offers the names of the offers
 */
record WishReader(Set<ClusterId> gangs, Set<NodeId> nodes, Set<String> offers) {

  Wish wish(Fields expected) {
    List<Wish> wishes = new ArrayList<>();
    expected.value("place").ifPresent(node -> wishes.add(place(expected)));
    expected.object("launch", Part.LAUNCH_EXPECTED).ifPresent(f -> wishes.add(launch(f)));
    expected.object("preempt", Part.PREEMPT).ifPresent(f -> wishes.add(victims(f)));
    expected.object("migrate", Part.MIGRATE).ifPresent(f -> wishes.add(migrate(f)));
    if (expected.has("replace")) {
      wishes.add(
          new Wish.Replaced(
              expected.list("replace", Part.REPLACEMENT).stream().map(this::replacement).toList()));
    }
    expected.wholes("resize").ifPresent(ranks -> wishes.add(new Wish.Resized(ranks)));
    expected
        .object("requeue", Part.WAIT)
        .ifPresent(f -> wishes.add(new Wish.Requeued(waits(f).reasons())));
    expected.object("wait", Part.WAIT).ifPresent(f -> wishes.add(waits(f)));
    expected.object("refuse", Part.REFUSE).ifPresent(f -> wishes.add(refuse(f)));
    if (wishes.size() != 1) {
      throw expected.refuse(
          "gang",
          "%d decisions are expected here".formatted(wishes.size()),
          "put one of " + Part.EXPECTED.fields());
    }
    return wishes.getFirst();
  }

  ClusterId gang(Fields fields, String field, String name) {
    ClusterId gang = GangReader.id(fields, field, name);
    if (!gangs.contains(gang)) {
      throw fields.refuse(field, "there is no gang " + gang, "name one that runs, waits or comes");
    }
    return gang;
  }

  private Set<ClusterId> gangs(Fields fields, String field) {
    Set<ClusterId> some = new TreeSet<>();
    fields.names(field).forEach(name -> some.add(gang(fields, field, name)));
    return some;
  }

  NodeId node(Fields fields, String field, String name) {
    NodeId node = fields.read(field, "names of nodes", name, NodeId::new);
    if (!nodes.contains(node)) {
      throw fields.refuse(field, "there is no node " + node, "name one of the pool");
    }
    return node;
  }

  List<NodeId> nodes(Fields fields, String field) {
    return fields.names(field).stream().map(name -> node(fields, field, name)).toList();
  }

  private Wish place(Fields expected) {
    boolean names = expected.value("place").filter(node -> !node.isObject()).isPresent();
    if (names) {
      NodesExpected exactly = NodesExpected.exactly(nodes(expected, "place"));
      return new Wish.Placed(exactly, Optional.of(List.of()), 0, new TreeMap<>());
    }
    Fields place = expected.object("place", Part.PLACE).orElseThrow();
    NodesExpected among = nodes(place);
    boolean number = place.value("spares").filter(node -> node.isNumber()).isPresent();
    int count = number ? place.requiredWhole("spares", 0) : 0;
    Optional<List<NodeId>> spares = number ? Optional.empty() : Optional.of(nodes(place, "spares"));
    Map<String, Integer> roles = new TreeMap<>();
    for (Fields role : place.list("roles", Part.ROLE_COUNT)) {
      roles.put(role.text("role"), role.requiredWhole("nodes", 1));
      role.end();
    }
    return new Wish.Placed(among, spares, count, roles);
  }

  /** What is asked of nodes; of the same kind for a place and for what is kept. */
  private NodesExpected nodes(Fields place) {
    Optional<List<NodeId>> exactly =
        place.has("nodes") ? Optional.of(nodes(place, "nodes")) : Optional.empty();
    Optional<Set<NodeId>> among =
        place.has("among") ? Optional.of(new TreeSet<>(nodes(place, "among"))) : Optional.empty();
    Optional<Integer> count = place.whole("count", 0);
    Optional<String> within = place.optionalText("within");
    List<Layout.Block> blocks =
        place.list("blocks", Part.BLOCK).stream().map(GangReader::block).toList();
    Optional<NodesExpected.PerDomain> perDomain =
        place.object("perDomain", Part.PER_DOMAIN).map(WishReader::perDomain);
    Optional<NodesExpected.Hops> hops =
        place
            .object("hops", Part.DOMAINS)
            .map(f -> new NodesExpected.Hops(f.text("level"), f.requiredWhole("count", 0)));
    if (exactly.isEmpty() && count.isEmpty()) {
      throw place.refuse("nodes", "how many nodes is not said", "put nodes, or a count");
    }
    return new NodesExpected(exactly, among, count, within, blocks, perDomain, hops);
  }

  private static NodesExpected.PerDomain perDomain(Fields fields) {
    NodesExpected.PerDomain expected =
        new NodesExpected.PerDomain(
            fields.text("level"),
            fields.requiredWhole("most", 1),
            fields.whole("least", 1).orElse(1));
    fields.end();
    return expected;
  }

  private Wish launch(Fields fields) {
    String offer = fields.text("offer");
    if (!offers.contains(offer)) {
      throw fields.refuse("offer", "is none of the offers", "put one of " + offers);
    }
    Wish launch =
        new Wish.Launched(offer, fields.requiredWhole("nodes", 1), fields.whole("rdma", 1));
    fields.end();
    return launch;
  }

  private Wish victims(Fields fields) {
    Optional<Set<ClusterId>> exactly =
        fields.has("victims") ? Optional.of(gangs(fields, "victims")) : Optional.empty();
    Optional<Integer> count = fields.whole("count", 0);
    Optional<Set<ClusterId>> among =
        fields.has("among") ? Optional.of(gangs(fields, "among")) : Optional.empty();
    if (exactly.isPresent() == count.isPresent()) {
      throw fields.refuse("victims", "takes victims or their count", "put one of the two");
    }
    List<Wish.ShrinkWish> shrinks =
        fields.list("shrinks", Part.SHRINK).stream().map(this::shrink).toList();
    Optional<NodesExpected> claim = fields.object("claim", Part.PLACE).map(this::nodes);
    fields.end();
    return new Wish.Victims(exactly, count, among, shrinks, claim);
  }

  private Wish.ShrinkWish shrink(Fields fields) {
    Optional<List<Integer>> ranks = fields.wholes("ranks");
    Optional<Integer> count = fields.whole("count", 1).or(() -> ranks.map(List::size));
    if (count.isEmpty()) {
      throw fields.refuse("ranks", "takes ranks or their count", "put one of the two");
    }
    Wish.ShrinkWish shrink =
        new Wish.ShrinkWish(gang(fields, "gang", fields.text("gang")), ranks, count.get());
    fields.end();
    return shrink;
  }

  private Wish migrate(Fields fields) {
    List<Wish.MoveWish> moves = fields.list("moves", Part.MOVE).stream().map(this::move).toList();
    Optional<Integer> count = fields.whole("count", 1);
    if (moves.isEmpty() == count.isEmpty()) {
      throw fields.refuse("moves", "takes moves or their count", "put one of the two");
    }
    Optional<Set<ClusterId>> among =
        fields.has("among") ? Optional.of(gangs(fields, "among")) : Optional.empty();
    var cost = fields.duration("cost");
    Optional<NodesExpected> claim = fields.object("claim", Part.PLACE).map(this::nodes);
    fields.end();
    return new Wish.Moved(moves, count.orElse(moves.size()), among, cost, claim);
  }

  private Wish.MoveWish move(Fields fields) {
    Wish.MoveWish move =
        new Wish.MoveWish(
            gang(fields, "gang", fields.text("gang")),
            fields.requiredWhole("rank", 0),
            node(fields, "from", fields.text("from")),
            fields.has("to") ? Optional.of(new TreeSet<>(nodes(fields, "to"))) : Optional.empty());
    fields.end();
    return move;
  }

  private Wish.ReplacementWish replacement(Fields fields) {
    fields.requiredNames("to");
    Wish.ReplacementWish replacement =
        new Wish.ReplacementWish(
            fields.requiredWhole("rank", Decision.Replacement.SPARE),
            node(fields, "lost", fields.text("lost")),
            new TreeSet<>(nodes(fields, "to")),
            fields.flag("spare", false));
    fields.end();
    return replacement;
  }

  private static Wish.Waits waits(Fields fields) {
    var reasons = fields.items("reasons");
    reasons.stream()
        .filter(reason -> !reason.isObject() || reason.optional("type").isEmpty())
        .findFirst()
        .ifPresent(
            reason -> {
              throw fields.refuse("reasons", "a reason has a type", "as in {\"type\": \"Behind\"}");
            });
    List<String> says = texts(fields);
    Optional<Wish.StartExpected> start = Wish.StartExpected.read(fields, "expectedStart");
    OutlookExpected outlook = OutlookExpected.read(fields);
    fields.end();
    return new Wish.Waits(new Wish.ReasonsExpected(reasons, says), start, outlook);
  }

  private static List<String> texts(Fields fields) {
    List<String> texts = new ArrayList<>();
    boolean list = fields.value("says").filter(node -> node.isArray()).isPresent();
    if (list) {
      for (var item : fields.items("says")) {
        if (!item.isString()) {
          throw fields.refuse("says", "takes texts", "put them in quotes");
        }
        texts.add(item.stringValue());
      }
    } else {
      fields.optionalText("says").ifPresent(texts::add);
    }
    return texts;
  }

  private static Wish refuse(Fields fields) {
    ErrorCode code =
        fields.read("code", "a code of an error", fields.text("code"), ErrorCode::valueOf);
    Wish refused = new Wish.Refused(code.name(), texts(fields), OutlookExpected.ofRefused(fields));
    fields.end();
    return refused;
  }
}
