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
import java.util.stream.Stream;

/**
 * Reads what should be decided for a gang.
 *
 * @param names what there is, at any time
 */
record WishReader(Names names) {

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
    expected.object("grow", Part.GROW).ifPresent(f -> wishes.add(grow(f)));
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
    names.require(Names.Kind.GANG, fields, field, name);
    return GangReader.id(fields, field, name);
  }

  private Set<ClusterId> gangs(Fields fields, String field) {
    Set<ClusterId> some = new TreeSet<>();
    fields.names(field).forEach(name -> some.add(gang(fields, field, name)));
    return some;
  }

  NodeId node(Fields fields, String field, String name) {
    names.require(Names.Kind.NODE, fields, field, name);
    return fields.read(field, "names of nodes", name, NodeId::new);
  }

  List<NodeId> nodes(Fields fields, String field) {
    return fields.names(field).stream().map(name -> node(fields, field, name)).toList();
  }

  private Wish place(Fields expected) {
    boolean listed = expected.value("place").filter(node -> !node.isObject()).isPresent();
    if (listed) {
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
      String name = role.text("role");
      names.require(Names.Kind.ROLE, role, "role", name);
      if (roles.put(name, role.requiredWhole("nodes", 1)) != null) {
        throw role.refuse("role", "this role stands twice", "put one number for each");
      }
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
    within.ifPresent(level -> names.require(Names.Kind.LEVEL, place, "within", level));
    List<Layout.Block> blocks = place.list("blocks", Part.BLOCK).stream().map(this::block).toList();
    Optional<NodesExpected.PerDomain> perDomain =
        place.object("perDomain", Part.PER_DOMAIN).map(this::perDomain);
    Optional<NodesExpected.Hops> hops =
        place
            .object("hops", Part.DOMAINS)
            .map(f -> new NodesExpected.Hops(level(f), f.requiredWhole("count", 0)));
    if (exactly.isEmpty() && count.isEmpty()) {
      throw place.refuse("nodes", "how many nodes is not said", "put nodes, or a count");
    }
    return new NodesExpected(exactly, among, count, within, blocks, perDomain, hops);
  }

  /** A level that nodes report. */
  String level(Fields fields) {
    String level = fields.text("level");
    names.require(Names.Kind.LEVEL, fields, "level", level);
    return level;
  }

  private Layout.Block block(Fields fields) {
    level(fields);
    return GangReader.block(fields);
  }

  private NodesExpected.PerDomain perDomain(Fields fields) {
    NodesExpected.PerDomain expected =
        new NodesExpected.PerDomain(
            level(fields), fields.requiredWhole("most", 1), fields.whole("least", 1).orElse(1));
    fields.end();
    return expected;
  }

  private Wish launch(Fields fields) {
    String offer = fields.text("offer");
    names.require(Names.Kind.OFFER, fields, "offer", offer);
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

  private Wish grow(Fields fields) {
    List<NodeId> ranks = fields.has("nodes") ? nodes(fields, "nodes") : List.of();
    List<NodeId> spares = fields.has("spares") ? nodes(fields, "spares") : List.of();
    if (ranks.isEmpty() && spares.isEmpty()) {
      throw fields.refuse("nodes", "a gang that grows gets something", "put nodes, or spares");
    }
    fields.end();
    return new GrowWish(ranks, spares);
  }

  private static Wish.Waits waits(Fields fields) {
    var reasons = fields.items("reasons");
    reasons.forEach(reason -> ReasonKind.require(fields, reason));
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
    String code = fields.text("code");
    Set<String> codes = new TreeSet<>();
    Stream.of(ErrorCode.values()).forEach(known -> codes.add(known.name()));
    if (!codes.contains(code)) {
      throw fields.refuse(
          "code", "takes a code of an error", "put another" + Names.instead(code, codes));
    }
    Wish refused = new Wish.Refused(code, texts(fields), OutlookExpected.ofRefused(fields));
    fields.end();
    return refused;
  }
}
