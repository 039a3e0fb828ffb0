// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.agent.protocol.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Shows outcomes to people and to machines. */
final class OutcomeText {

  private OutcomeText() {}

  /** Line by line. */
  static List<String> lines(Outcome outcome) {
    List<String> lines = new ArrayList<>();
    lines.add(outcome.file());
    if (!outcome.story().isEmpty()) {
      lines.add("  " + outcome.story());
    }
    for (Outcome.Turn turn : outcome.turns()) {
      String story = turn.story().isEmpty() ? "" : ": " + turn.story();
      lines.add("  at " + turn.now() + story);
      turn.changes().forEach(change -> lines.add("    (" + change + ")"));
      if (turn.lines().isEmpty()) {
        lines.add("    nothing is to be done");
      }
      turn.lines().forEach(line -> lines.add("    " + line));
      turn.unmet().forEach(unmet -> lines.add("    NOT MET: " + unmet));
    }
    lines.add(
        !outcome.met() ? "  NOT MET" : outcome.expects() ? "  met" : "  nothing was expected");
    return lines;
  }

  /** One document for all outcomes. */
  static String json(List<Outcome> outcomes) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      List<Map<String, Object>> turns = new ArrayList<>();
      for (Outcome.Turn turn : outcome.turns()) {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("now", turn.now());
        fields.put("story", turn.story());
        fields.put("changes", turn.changes());
        fields.put("decisions", turn.plan().decisions().stream().map(OutcomeText::tree).toList());
        fields.put("outlooks", outlooks(turn.outlooks()));
        fields.put("text", turn.lines());
        fields.put("unmet", turn.unmet());
        turns.add(fields);
      }
      Map<String, Object> fields = new TreeMap<>();
      fields.put("file", outcome.file());
      fields.put("story", outcome.story());
      fields.put("met", outcome.met());
      fields.put("expects", outcome.expects());
      outcome.error().ifPresent(error -> fields.put("error", error));
      fields.put("turns", turns);
      all.add(fields);
    }
    return Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(all);
  }

  private static List<Map<String, Object>> outlooks(Outlooks outlooks) {
    List<Map<String, Object>> all = new ArrayList<>();
    outlooks
        .of()
        .forEach(
            (gang, outlook) -> {
              Map<String, Object> fields = new TreeMap<>();
              fields.put("gang", gang);
              fields.put("expectedStart", outlook.expectedStart());
              fields.put("change", outlook.change());
              all.add(fields);
            });
    return all;
  }

  private static Object tree(dev.clustered.core.plan.Decision decision) {
    Map<String, Object> tree = new TreeMap<>();
    tree.put("decision", decision.getClass().getSimpleName());
    tree.put("value", decision);
    return tree;
  }
}
