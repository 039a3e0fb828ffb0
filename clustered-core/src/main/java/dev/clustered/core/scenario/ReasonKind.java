// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.model.WaitReason;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The kinds of reasons to wait, by the names that a file calls them and their fields. */
final class ReasonKind {

  private static final String TYPE = "type";

  private ReasonKind() {}

  private static Map<String, Set<String>> kinds() {
    Map<String, Set<String>> kinds = new TreeMap<>();
    for (Class<?> kind : WaitReason.class.getPermittedSubclasses()) {
      Set<String> fields = new TreeSet<>(List.of(TYPE));
      Stream.of(kind.getRecordComponents()).map(RecordComponent::getName).forEach(fields::add);
      kinds.put(kind.getSimpleName(), fields);
    }
    return kinds;
  }

  /**
   * A reason that is expected has a kind that there is, and none but its fields.
   *
   * @throws ScenarioException otherwise
   */
  static void require(Fields fields, JsonNode reason) {
    if (!reason.isObject() || !reason.path(TYPE).isString()) {
      throw fields.refuse("reasons", "a reason has a type", "as in {\"type\": \"Behind\"}");
    }
    String type = reason.get(TYPE).stringValue();
    Map<String, Set<String>> kinds = kinds();
    Set<String> known = kinds.get(type);
    if (known == null) {
      throw fields.refuse(
          "reasons",
          "there is no type of reasons " + type,
          "put another" + Names.instead(type, kinds.keySet()));
    }
    for (String field : reason.propertyNames()) {
      if (!known.contains(field)) {
        throw fields.refuse(
            "reasons",
            "a reason of type %s has no field %s".formatted(type, field),
            "put another" + Names.instead(field, known));
      }
    }
  }
}
