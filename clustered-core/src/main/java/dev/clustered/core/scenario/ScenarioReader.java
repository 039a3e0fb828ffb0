// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.LaunchView;
import dev.clustered.core.plan.QueueUse;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.core.scenario.Fields.Origin;
import dev.clustered.model.ClusterId;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads scenario files. Stateless and thread-safe. */
final class ScenarioReader {

  /** The moment at which a scenario begins that does not say when. */
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("+10000-01-01T00:00:00Z");
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final String file;
  private final PoolReader pool = new PoolReader();
  private final Names names = new Names();

  private ScenarioReader(String file) {
    this.file = file;
  }

  /**
   * What a file says.
   *
   * @throws ScenarioException when it cannot be read
   */
  static Scenario read(Path file) {
    return read(String.valueOf(file.getFileName()), text(file));
  }

  /** What a text says. */
  static Scenario read(String name, String text) {
    return new ScenarioReader(name).read(tree(name, text));
  }

  /**
   * The text of a file.
   *
   * @throws ScenarioException when there is none
   */
  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new ScenarioException(
          "%s: is not UTF-8 throughout; write it so".formatted(file.getFileName()));
    } catch (IOException e) {
      throw new ScenarioException("%s: cannot be read: %s".formatted(file.getFileName(), e));
    }
  }

  /** A text as JSON. A mark of its byte order, as some editors write it, says nothing. */
  static JsonNode tree(String name, String text) {
    String json = text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    if (json.isBlank()) {
      throw new ScenarioException("%s: is empty; write what there is in braces".formatted(name));
    }
    try {
      return MAPPER.readTree(json);
    } catch (JacksonException e) {
      throw new ScenarioException(
          "%s%s: is not JSON: %s; correct it"
              .formatted(
                  name,
                  e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr(),
                  e.getOriginalMessage()));
    }
  }

  private Scenario read(JsonNode tree) {
    Fields first =
        new Fields(new Origin(file, NOW, NOW, names), "", tree, Part.SCENARIO, List.of());
    Fields fields = first.since(first.optionalText("now").map(t -> instant(first, t)).orElse(NOW));
    fields.value("now");
    fields.optionalText("$schema");
    fields.optionalText("invalid");
    World world = world(fields);
    List<Fields> steps = new ArrayList<>();
    List<List<Change>> changes = new ArrayList<>();
    Instant at = fields.by();
    for (Fields one : fields.list("steps", Part.STEP)) {
      Fields step = one.at(at.plus(one.duration("after").orElse(Duration.ZERO)));
      List<Change> all = new ArrayList<>();
      step.list("do", Part.CHANGE).forEach(change -> all.addAll(Change.read(change, pool)));
      Optional<Duration> runs = step.object("run", Part.RUN).flatMap(run -> run.duration("for"));
      runs.ifPresent(time -> names.virtualTime());
      at = step.by().plus(runs.orElse(Duration.ZERO));
      steps.add(step);
      changes.add(all);
    }
    names.check();
    WishReader wishes = new WishReader(names);
    List<Scenario.Step> all = new ArrayList<>();
    boolean runs = !steps.isEmpty() && steps.getFirst().has("run");
    Optional<PlanExpected> expected =
        fields.object("expect", Part.EXPECT).map(e -> PlanExpected.read(e, wishes));
    if (expected.isPresent() || !runs) {
      all.add(new Scenario.Turn(Optional.empty(), true, Duration.ZERO, List.of(), expected));
    }
    for (int i = 0; i < steps.size(); i++) {
      all.add(step(steps.get(i), changes.get(i), wishes));
    }
    Scenario scenario =
        new Scenario(
            file,
            fields.optionalText("source"),
            fields.optionalText("story"),
            world,
            List.copyOf(all));
    fields.end();
    return scenario;
  }

  private static Instant instant(Fields fields, String text) {
    return fields.read(
        "now",
        "an instant of the years 1 to 9999",
        text,
        now -> {
          Instant instant = Instant.parse(now);
          if (instant.isBefore(FIRST) || !instant.isBefore(LAST)) {
            throw new IllegalArgumentException("another year");
          }
          return instant;
        });
  }

  private World world(Fields fields) {
    World world = new World(fields.by(), PolicyReader.policy(fields));
    pool.shapes(fields);
    pool.nodes(fields.list("pool", Part.NODES), world);
    pool.offers(fields.list("offers", Part.OFFER), world);
    for (Fields launch : fields.list("launches", Part.LAUNCH)) {
      LaunchView view = PoolReader.launch(launch, world);
      if (world.launches.put(view.id(), view) != null) {
        throw launch.refuse("launch", "this launch stands twice", "name each differently");
      }
    }
    fields
        .list("coolDowns", Part.COOL_DOWN)
        .forEach(coolDown -> world.coolDowns.add(PoolReader.coolDown(coolDown)));
    for (Fields fieldsOfUse : fields.list("uses", Part.USE)) {
      QueueUse use = PolicyReader.use(fieldsOfUse);
      if (world.uses.stream().anyMatch(other -> other.queue().equals(use.queue()))) {
        throw fieldsOfUse.refuse("queue", "this queue stands twice", "put all of its use in one");
      }
      world.uses.add(use);
    }
    Holdings holdings = new Holdings(world);
    fields.list("running", Part.RUNNING).forEach(g -> GangReader.running(g, holdings, world));
    Set<ClusterId> waiting = new TreeSet<>();
    for (Fields gang : fields.list("waiting", Part.WAITING)) {
      for (GangReader.Arrival arrival : GangReader.waiting(gang)) {
        ClusterId id = arrival.gang().id();
        if (!waiting.add(id)) {
          throw gang.refuse("gang", "gang " + id + " stands twice", "name each differently");
        }
        RunningGang runs = world.running.get(id);
        if (runs != null && runs.works()) {
          throw gang.refuse(
              "gang",
              "the gang %s runs and waits; only one that ends may wait anew".formatted(id),
              "name each differently");
        }
        world.arrives(arrival);
      }
    }
    fields.make(world::snapshot);
    return world;
  }

  private static Scenario.Step step(Fields step, List<Change> changes, WishReader wishes) {
    Optional<String> story = step.optionalText("story");
    boolean carryOut = step.flag("carryOut", true);
    Duration after = step.duration("after").orElse(Duration.ZERO);
    Optional<PlanExpected> expected =
        step.object("expect", Part.EXPECT).map(e -> PlanExpected.read(e, wishes));
    Optional<Fields> run = step.object("run", Part.RUN);
    step.end();
    if (run.isEmpty()) {
      return new Scenario.Turn(story, carryOut, after, changes, expected);
    }
    if (!changes.isEmpty() || expected.isPresent() || !after.isZero()) {
      throw step.refuse("run", "a run has no changes of its own", "put them into a step before it");
    }
    Fields fields = run.get();
    Scenario.Run read =
        new Scenario.Run(
            story,
            carryOut,
            fields
                .duration("for")
                .orElseThrow(() -> fields.refuse("for", "is missing", "say how long it runs")),
            fields.duration("drain").orElse(Duration.ZERO),
            fields.object("expect", Part.HISTORY).map(e -> HistoryExpected.read(e, wishes)));
    fields.end();
    return read;
  }
}
