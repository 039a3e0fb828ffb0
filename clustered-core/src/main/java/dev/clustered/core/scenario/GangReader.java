// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Claim;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Holding;
import dev.clustered.core.plan.Layout;
import dev.clustered.core.plan.Member;
import dev.clustered.core.plan.Need;
import dev.clustered.core.plan.Role;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.core.plan.Terms;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Reads gangs, those that wait and those that have their nodes. */
final class GangReader {

  private GangReader() {}

  /**
   * A gang that comes, now or later.
   *
   * @param at when it comes
   * @param runs how long it runs in a run of virtual time
   */
  record Arrival(Instant at, GangRequest gang, Optional<Duration> runs) {}

  /** The gangs that one object stands for. */
  static List<Arrival> waiting(Fields fields) {
    List<Arrival> arrivals = new ArrayList<>();
    for (Fields one : fields.forEach("gang")) {
      Duration later = one.duration("every").orElse(Duration.ZERO).multipliedBy(arrivals.size());
      Instant at = one.moment("arrives").orElse(one.by()).plus(later);
      Instant queuedAt = one.past("queuedAt", at).orElse(at);
      int spares = one.whole("spares", 0).orElse(0);
      GangRequest gang = request(one, queuedAt, spares, Optional.empty());
      Optional<Claim> claim = one.object("claim", Part.CLAIM).map(GangReader::claim);
      Optional<Duration> runs = one.time("runs");
      one.end();
      one.names().add(Names.Kind.GANG, gang.id().value());
      arrivals.add(
          new Arrival(at, one.make("claim", () -> claim.map(gang::withClaim).orElse(gang)), runs));
    }
    return arrivals;
  }

  private static Claim claim(Fields fields) {
    List<NodeId> nodes = nodes(fields, "nodes");
    nodes.forEach(node -> fields.mention(Names.Kind.NODE, "nodes", node.value()));
    Instant until =
        fields
            .moment("until")
            .orElseThrow(() -> fields.refuse("until", "is missing", "say when the promise ends"));
    fields.end();
    return new Claim(nodes, until);
  }

  private static List<NodeId> nodes(Fields fields, String field) {
    return fields.requiredNames(field).stream()
        .map(name -> fields.read(field, "names of nodes", name, NodeId::new))
        .toList();
  }

  static ClusterId id(Fields fields, String field, String name) {
    return fields.read(field, "the name of a gang", name, ClusterId::new);
  }

  /** A gang that must be somewhere in the file. */
  static ClusterId gang(Fields fields, String field, String name) {
    fields.mention(Names.Kind.GANG, field, name);
    return id(fields, field, name);
  }

  /**
   * What a gang asks for.
   *
   * @param has how many ranks it has, if it runs
   */
  private static GangRequest request(
      Fields fields, Instant queuedAt, int spares, Optional<Integer> has) {
    ClusterId id = id(fields, "gang", fields.text("gang"));
    List<Role> roles = roles(fields, has);
    Layout layout = layout(fields);
    Terms terms = terms(fields);
    List<List<Role>> alternatives =
        fields.list("alternatives", Part.ALTERNATIVE).stream()
            .map(GangReader::alternative)
            .toList();
    return fields.make(
        () ->
            new GangRequest(
                id, queuedAt, roles, layout, spares, terms, alternatives, Optional.empty()));
  }

  private static List<Role> alternative(Fields fields) {
    List<Role> roles = roles(fields, Optional.empty());
    fields.end();
    return roles;
  }

  private static List<Role> roles(Fields fields, Optional<Integer> has) {
    List<Fields> roles = fields.list("roles", Part.ROLE);
    if (roles.isEmpty() && fields.has("roles")) {
      throw fields.refuse("roles", "a gang has a role or more", "name one, or leave roles out");
    }
    Optional<Integer> nodes = fields.whole("nodes", 1);
    Optional<Integer> minimum = fields.whole("minimum", 1);
    Need need = need(fields);
    if (roles.isEmpty()) {
      fields.names().add(Names.Kind.ROLE, Role.ONLY);
      int most = nodes.or(() -> has).orElse(1);
      return List.of(
          fields.make(() -> new Role(Role.ONLY, most, minimum.orElse(most), need, Layout.ANY)));
    }
    if (nodes.isPresent() || minimum.isPresent() || fields.has("each")) {
      throw fields.refuse(
          "roles", "a gang with roles has its numbers in them", "move nodes, minimum, each there");
    }
    return roles.stream().map(role -> role(role, need)).toList();
  }

  private static Role role(Fields fields, Need gang) {
    String name = fields.text("role");
    fields.names().add(Names.Kind.ROLE, name);
    int nodes = fields.requiredWhole("nodes", 1);
    int minimum = fields.whole("minimum", 1).orElse(nodes);
    Need own = need(fields);
    Layout layout = layout(fields);
    fields.end();
    Need need =
        new Need(
            own.backend().or(gang::backend),
            own.shape().or(gang::shape),
            own.each(),
            own.rdma().or(gang::rdma),
            own.attributes().isEmpty() ? gang.attributes() : own.attributes(),
            own.tolerates().isEmpty() ? gang.tolerates() : own.tolerates(),
            own.perNode());
    return fields.make(() -> new Role(name, nodes, minimum, need, layout));
  }

  private static Need need(Fields fields) {
    Optional<String> backend = fields.optionalText("backend");
    Optional<String> shape = fields.optionalText("shape");
    backend.ifPresent(name -> fields.mention(Names.Kind.BACKEND, "backend", name));
    shape.ifPresent(name -> fields.mention(Names.Kind.SHAPE, "shape", name));
    Optional<Resources> each = fields.object("each", Part.RESOURCES).map(PolicyReader::resources);
    Optional<RdmaOptions> rdma = fields.whole("rdma", 1).map(RdmaOptions::new);
    var attributes = fields.texts("attributes");
    var tolerates = new TreeSet<>(fields.names("tolerates"));
    int perNode = fields.whole("perNode", 1).orElse(1);
    return fields.make(() -> new Need(backend, shape, each, rdma, attributes, tolerates, perNode));
  }

  private static Layout layout(Fields fields) {
    return fields.object("layout", Part.LAYOUT).map(GangReader::readLayout).orElse(Layout.ANY);
  }

  private static Layout readLayout(Fields fields) {
    Optional<String> required = fields.optionalText("required");
    Optional<String> preferred = fields.optionalText("preferred");
    required.ifPresent(level -> fields.mention(Names.Kind.LEVEL, "required", level));
    preferred.ifPresent(level -> fields.mention(Names.Kind.LEVEL, "preferred", level));
    List<Layout.Block> blocks =
        fields.list("blocks", Part.BLOCK).stream().map(GangReader::block).toList();
    Optional<Layout.Spread> spread = fields.object("spread", Part.SPREAD).map(GangReader::spread);
    fields.end();
    return fields.make(() -> new Layout(required, preferred, blocks, spread));
  }

  /** A level that nodes must report. */
  static String level(Fields fields) {
    return fields.mention(Names.Kind.LEVEL, "level", fields.text("level"));
  }

  static Layout.Block block(Fields fields) {
    Layout.Block block = new Layout.Block(level(fields), fields.requiredWhole("ranks", 1));
    fields.end();
    return block;
  }

  private static Layout.Spread spread(Fields fields) {
    String level = level(fields);
    int most = fields.whole("most", 1).orElse(Integer.MAX_VALUE);
    boolean even = fields.flag("even", false);
    fields.end();
    return new Layout.Spread(level, most, even);
  }

  private static Terms terms(Fields fields) {
    String queue = fields.optionalText("queue").orElse("");
    if (!queue.isEmpty()) {
      fields.mention(Names.Kind.QUEUE, "queue", queue);
    }
    int priority = fields.whole("priority", Integer.MIN_VALUE).orElse(0);
    boolean preemptible = fields.flag("preemptible", false);
    Optional<Duration> limit = fields.time("timeLimit");
    Optional<Duration> moveCost = fields.duration("moveCost");
    return fields.make(() -> new Terms(queue, priority, preemptible, limit, moveCost));
  }

  /** Adds the gangs with nodes that one object stands for. */
  static void running(Fields fields, Holdings holdings, World world) {
    for (Fields one : fields.forEach("gang")) {
      RunningGang gang = running(one, holdings);
      Optional<Duration> runs = one.time("runs");
      one.end();
      if (world.known(gang.id())) {
        throw one.refuse("gang", "gang " + gang.id() + " stands twice", "name each differently");
      }
      one.names().add(Names.Kind.GANG, gang.id().value());
      world.knows(gang.id(), runs);
      world.running.put(gang.id(), gang);
    }
  }

  private static RunningGang running(Fields fields, Holdings holdings) {
    List<NodeId> on = nodes(fields, "on");
    Instant started = fields.past("started").orElse(fields.by());
    Instant queuedAt = fields.past("queuedAt", started).orElse(started);
    List<NodeId> spares = fields.has("spares") ? nodes(fields, "spares") : List.of();
    GangRequest request = request(fields, queuedAt, spares.size(), Optional.of(on.size()));
    List<Integer> leaving = fields.wholes("leaving").orElse(List.of());
    Optional<Instant> expectedEnd =
        fields.moment("expectedEnd").or(() -> request.terms().timeLimit().map(started::plus));
    RunningGang.Phase phase =
        fields.word("phase", RunningGang.Phase.class).orElse(RunningGang.Phase.RUNNING);
    Optional<ClusterId> endsFor =
        fields.optionalText("endsFor").map(name -> gang(fields, "endsFor", name));
    List<String> roles =
        request.roles().stream()
            .flatMap(role -> IntStream.range(0, role.nodes()).mapToObj(i -> role.name()))
            .toList();
    if (on.size() > roles.size()) {
      throw fields.refuse("on", "these are more nodes than the gang has ranks", "name fewer");
    }
    leaving.stream()
        .filter(rank -> rank < 0 || rank >= on.size())
        .findFirst()
        .ifPresent(
            rank -> {
              throw fields.refuse(
                  "leaving",
                  "the gang has no rank " + rank,
                  "name some of 0 to %d".formatted(on.size() - 1));
            });
    Map<NodeId, Integer> ranks = new TreeMap<>();
    List<Member> members = new ArrayList<>();
    for (int rank = 0; rank < on.size(); rank++) {
      Need need = need(request, roles.get(rank));
      if (ranks.merge(on.get(rank), 1, Integer::sum) > need.perNode()) {
        throw fields.refuse(
            "on",
            "node %s holds %d of its ranks at most".formatted(on.get(rank), need.perNode()),
            "name other nodes, or put perNode");
      }
      Holding at = holdings.take(fields, "on", on.get(rank), need);
      members.add(new Member(rank, roles.get(rank), at, leaving.contains(rank)));
    }
    List<Holding> spare =
        spares.stream()
            .map(node -> holdings.take(fields, "spares", node, request.roles().getFirst().need()))
            .toList();
    return fields.make(
        () -> new RunningGang(request, members, spare, started, expectedEnd, phase, endsFor));
  }

  private static Need need(GangRequest gang, String role) {
    return gang.roles().stream()
        .filter(r -> r.name().equals(role))
        .map(Role::need)
        .findFirst()
        .orElseThrow();
  }
}
