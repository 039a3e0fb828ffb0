// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Plan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Plans for scenarios, and compares. Stateless. */
final class ScenarioRun {

  private final World world;
  private final List<Outcome.Turn> turns = new ArrayList<>();
  private Optional<Plan> last = Optional.empty();

  private ScenarioRun(Scenario scenario) {
    this.world = scenario.start().copy();
  }

  /**
   * What comes of a file.
   *
   * @throws ScenarioException when it cannot be read, and does not say that it cannot
   */
  static Outcome of(Path file) {
    return of(String.valueOf(file.getFileName()), ScenarioReader.text(file));
  }

  /** The same of a text. */
  static Outcome of(String name, String text) {
    JsonNode tree = ScenarioReader.tree(name, text);
    Optional<JsonNode> invalid = tree.optional("invalid").filter(JsonNode::isString);
    if (invalid.isEmpty()) {
      return of(ScenarioReader.read(name, text));
    }
    String expected = invalid.get().stringValue();
    String story = tree.optional("story").map(JsonNode::asString).orElse("");
    try {
      ScenarioReader.read(name, text);
      return Outcome.unread(
          name,
          story,
          List.of(),
          List.of("expected to be refused with \"%s\"".formatted(expected)));
    } catch (ScenarioException e) {
      String message = String.valueOf(e.getMessage());
      List<String> unmet =
          message.contains(expected)
              ? List.of()
              : List.of("expected to be refused with \"%s\"".formatted(expected));
      return Outcome.unread(name, story, List.of("refused: " + message), unmet);
    }
  }

  static Outcome of(Scenario scenario) {
    ScenarioRun run = new ScenarioRun(scenario);
    for (Scenario.Step step : scenario.steps()) {
      if (!run.go(step)) {
        break;
      }
    }
    boolean expects = scenario.steps().stream().anyMatch(Scenario.Step::expects);
    return new Outcome(
        scenario.file(), scenario.story().orElse(""), run.turns, expects, Optional.empty());
  }

  /** Goes one step; false when there is no going on. */
  private boolean go(Scenario.Step step) {
    try {
      return switch (step) {
        case Scenario.Turn turn -> turn(turn);
        case Scenario.Run run -> run(run);
      };
    } catch (IllegalArgumentException e) {
      turns.add(
          new Outcome.Turn(
              world.now,
              step.story().orElse(""),
              List.of(),
              new Plan(List.of()),
              Outlooks.NONE,
              List.of(),
              List.of("no plan was made: " + e.getMessage())));
      return false;
    }
  }

  private void carryOut(boolean wanted) {
    if (wanted) {
      last.ifPresent(plan -> CarryingOut.of(plan, world));
    }
  }

  private boolean turn(Scenario.Turn turn) {
    carryOut(turn.carryOut());
    world.advance(world.now.plus(turn.after()));
    turn.changes().forEach(change -> change.does().accept(world));
    World before = world.copy();
    Planning planning = Planning.of(world);
    List<String> unmet = new ArrayList<>(planning.broken());
    turn.expected()
        .ifPresent(
            expected -> {
              unmet.addAll(expected.unmet(planning.plan(), before));
              if (expected.fixpoint()) {
                planning.restless().ifPresent(unmet::add);
              }
            });
    List<String> changes = turn.changes().stream().map(Change::text).toList();
    show(turn.story().orElse(""), changes, before, planning.plan(), unmet);
    last = Optional.of(planning.plan());
    return planning.broken().isEmpty();
  }

  /** Notes a plan for a world as it was before, and what more is known of those who wait. */
  private void show(
      String story, List<String> changes, World before, Plan plan, List<String> unmet) {
    Outlooks outlooks = Outlooks.of(before.snapshot(), plan);
    List<String> lines =
        plan.decisions().stream().flatMap(d -> outlooks.sentences(d).stream()).toList();
    turns.add(new Outcome.Turn(world.now, story, changes, plan, outlooks, lines, unmet));
  }

  private boolean run(Scenario.Run run) {
    if (turns.isEmpty()) { // The first plan is carried out by the run, which makes it anew.
      show("", List.of(), world.copy(), Planning.of(world).plan(), List.of());
    }
    carryOut(run.carryOut());
    VirtualTime time = new VirtualTime(world, run.drain());
    time.run(run.time());
    List<String> unmet = new ArrayList<>(time.unmet);
    run.expected()
        .ifPresent(
            expected -> unmet.addAll(expected.unmet(time.started, time.ended, time.victims)));
    turns.add(
        new Outcome.Turn(
            world.now,
            run.story().orElse(""),
            List.of(),
            time.last,
            Outlooks.NONE,
            time.lines,
            unmet));
    last = Optional.empty();
    return time.unmet.isEmpty();
  }
}
