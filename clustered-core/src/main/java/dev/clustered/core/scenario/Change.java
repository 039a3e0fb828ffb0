// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.CoolDown;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.LaunchView;
import dev.clustered.core.plan.NodeHealth;
import dev.clustered.core.plan.QueueUse;
import dev.clustered.core.plan.Role;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Something that happens between two plans.
 *
 * @param text what, in words
 */
record Change(String text, Consumer<World> does) {

  /** Reads what one object says happens, in the order of its kinds. */
  static List<Change> read(Fields fields, PoolReader pool) {
    Reading reading = new Reading(fields, pool);
    reading.gangs();
    reading.nodes();
    reading.others();
    fields.end();
    if (reading.changes.isEmpty()) {
      throw fields.refuse("", "nothing happens", "say what happens, or leave the object out");
    }
    return reading.changes;
  }

  private static final class Reading {
    private final Fields fields;
    private final PoolReader pool;
    private final List<Change> changes = new ArrayList<>();

    Reading(Fields fields, PoolReader pool) {
      this.fields = fields;
      this.pool = pool;
    }

    private void add(String text, Consumer<World> does) {
      changes.add(new Change(text, does));
    }

    private void eachGang(String field, String what, BiConsumer<World, ClusterId> does) {
      List<ClusterId> gangs =
          fields.names(field).stream().map(name -> GangReader.gang(fields, field, name)).toList();
      if (!gangs.isEmpty()) {
        add(text(what, gangs), world -> gangs.forEach(gang -> does.accept(world, gang)));
      }
    }

    private static String text(String what, Collection<?> names) {
      return what + ": " + NamePattern.shorten(names.stream().map(Object::toString).toList());
    }

    void gangs() {
      eachGang("ends", "ends", World::ended);
      eachGang("returns", "has ended and waits again", World::returns);
      eachGang("left", "leaving ranks have left", World::left);
      eachGang(
          "cancelled", "cancelled", (world, gang) -> world.waitsNoMore(world.waiting(gang).id()));
      fields.object("granted", Part.GRANTED).ifPresent(this::granted);
      eachGang("launched", "launch has come up", Reading::launched);
      eachGang("launchFails", "launch has failed", Reading::failed);
      fields.list("arrives", Part.WAITING).forEach(this::arrives);
      fields.object("resized", Part.RESIZED).ifPresent(this::resized);
    }

    private static void launched(World world, ClusterId gang) {
      if (!world.launches.values().removeIf(launch -> launch.gang().equals(gang))) {
        throw new IllegalArgumentException("there is no launch for gang " + gang);
      }
    }

    /** What its sites are asked for again only after a while. */
    private static void failed(World world, ClusterId gang) {
      for (LaunchView launch : List.copyOf(world.launches.values())) {
        if (launch.gang().equals(gang)) {
          Offer offer = launch.offer();
          world.coolDowns.add(
              new CoolDown(
                  offer.backend(),
                  offer.zone(),
                  offer.shape().name(),
                  world.now.plus(world.policy.launching().firstCoolDown()),
                  "launch %s has failed".formatted(launch.id())));
        }
      }
      launched(world, gang);
    }

    private void granted(Fields granted) {
      ClusterId gang = GangReader.gang(granted, "gang", granted.text("gang"));
      int nodes = granted.requiredWhole("nodes", 0);
      Instant deadline =
          granted
              .moment("deadline")
              .orElseThrow(() -> granted.refuse("deadline", "is missing", "say when it is late"));
      granted.end();
      add(
          "%d nodes of the launch for %s are granted, the others by %s"
              .formatted(nodes, gang, deadline),
          world -> {
            LaunchView launch =
                world.launches.values().stream()
                    .filter(under -> under.gang().equals(gang))
                    .findFirst()
                    .orElseThrow(
                        () -> new IllegalArgumentException("there is no launch for gang " + gang));
            world.launches.put(launch.id(), launch.withGranted(nodes, deadline));
          });
    }

    private void arrives(Fields gangs) {
      List<GangReader.Arrival> arrivals = GangReader.waiting(gangs);
      TreeSet<ClusterId> brings = new TreeSet<>();
      arrivals.forEach(arrival -> brings.add(arrival.gang().id()));
      add(text("comes", brings), world -> arrivals.forEach(world::arrives));
    }

    private void resized(Fields size) {
      ClusterId id = GangReader.gang(size, "gang", size.text("gang"));
      int nodes = size.requiredWhole("nodes", 1);
      int minimum = size.whole("minimum", 1).orElse(nodes);
      size.end();
      add(
          "%s asks for %d to %d nodes".formatted(id, minimum, nodes),
          world -> {
            if (world.isWaiting(id)) {
              world.waits(resized(world.waiting(id), nodes, minimum));
            } else {
              RunningGang gang = world.running(id);
              world.running.put(
                  id,
                  new RunningGang(
                      resized(gang.request(), nodes, minimum),
                      gang.members(),
                      gang.spares(),
                      gang.startedAt(),
                      gang.expectedEnd(),
                      gang.phase(),
                      gang.endsFor()));
            }
          });
    }

    private static GangRequest resized(GangRequest gang, int nodes, int minimum) {
      if (gang.roles().size() > 1) {
        throw new IllegalArgumentException(
            "gang %s has several roles, so that nobody knows which of them is to be resized"
                .formatted(gang.id()));
      }
      Role role = gang.roles().getFirst();
      return gang.withRoles(
          List.of(new Role(role.name(), nodes, minimum, role.need(), role.layout())));
    }

    void nodes() {
      fields.object("health", Part.HEALTH).ifPresent(this::health);
      List<Fields> more = fields.list("nodes", Part.NODES);
      if (!more.isEmpty()) {
        World brought = World.empty(fields.by());
        pool.nodes(more, brought);
        brought(brought.machines);
      }
      List<NodeId> gone = nodes(fields, "gone");
      if (!gone.isEmpty()) {
        add(
            text("gone", gone),
            world -> gone.forEach(node -> world.machines.remove(world.machine(node).id())));
      }
    }

    private static List<NodeId> nodes(Fields fields, String field) {
      return fields.names(field).stream()
          .map(name -> fields.mention(Names.Kind.NODE, field, name))
          .map(name -> fields.read(field, "names of nodes", name, NodeId::new))
          .toList();
    }

    private void brought(Map<NodeId, Machine> machines) {
      Consumer<World> does =
          world ->
              machines.forEach(
                  (id, machine) -> {
                    if (world.machines.put(id, machine) != null) {
                      throw new IllegalArgumentException("node " + id + " is there already");
                    }
                  });
      add(text("new", machines.keySet()), does);
    }

    private void health(Fields health) {
      NodeHealth is =
          health
              .word("is", NodeHealth.class)
              .orElseThrow(() -> health.refuse("is", "is missing", "put lost, ready or the like"));
      health.requiredNames("nodes");
      List<NodeId> nodes = nodes(health, "nodes");
      health.end();
      add(
          text(Fields.word(is), nodes),
          world -> nodes.forEach(node -> world.machines.put(node, world.machine(node).in(is))));
    }

    void others() {
      List<Fields> offers = fields.list("offers", Part.OFFER);
      if (!offers.isEmpty()) {
        World offered = World.empty(fields.by());
        pool.offers(offers, offered);
        offered.offers.forEach(
            (name, offer) ->
                add(
                    "offer %s has %d left".formatted(name, offer.available()),
                    world -> world.offers.put(name, offer)));
      }
      if (fields.has("policy")) {
        var policy = PolicyReader.policy(fields);
        add("the policy is another", world -> world.policy = policy);
      }
      for (Fields coolDown : fields.list("coolDowns", Part.COOL_DOWN)) {
        var cooling = PoolReader.coolDown(coolDown);
        add(
            "zone %s cools down for %s until %s"
                .formatted(cooling.zone(), cooling.shape(), cooling.until()),
            world -> world.coolDowns.add(cooling));
      }
      for (Fields use : fields.list("uses", Part.USE)) {
        QueueUse used = PolicyReader.use(use);
        add(
            "queue " + used.queue() + " has used more",
            world -> {
              world.uses.removeIf(other -> other.queue().equals(used.queue()));
              world.uses.add(used);
            });
      }
    }
  }
}
