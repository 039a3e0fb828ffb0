// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.InvalidSpecException.Problem;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * The fields of one JSON object of a specification. Notes what is wrong with each and goes on, so
 * that every problem is found; a value that is missing or wrong is empty. Messages say of which
 * kind a wrong value is and never show it: it may be a secret in the wrong place. Not thread-safe.
 */
final class JsonFields {

  private static final int LONGEST_SHOWN = 80;

  private final String path;
  private final JsonNode object;
  private final List<Problem> problems;
  private final Set<String> known = new LinkedHashSet<>();

  /**
   * The fields of a node, none when it is no object.
   *
   * @param path where the object is, as a field's name; empty for the outermost
   * @param problems where problems are added
   */
  JsonFields(String path, JsonNode object, List<Problem> problems) {
    this.path = path;
    this.object = object;
    this.problems = problems;
    if (!object.isObject()) {
      problems.add(
          new Problem(path.isEmpty() ? "specification" : path, expected("an object", object)));
    }
  }

  private static String name(String path, String field) {
    return path.isEmpty() ? printable(field) : path + "." + printable(field);
  }

  /** The value of a field; empty when it is missing or null. */
  Optional<JsonNode> value(String field) {
    known.add(field);
    return object.optional(field).filter(node -> !node.isNull());
  }

  Optional<String> text(String field) {
    return value(field)
        .flatMap(node -> read(field, node, "a text", node.isString(), JsonNode::stringValue));
  }

  /** The same, and a problem when it is missing. */
  Optional<String> requiredText(String field) {
    if (value(field).isEmpty()) {
      add(field, "is missing; takes a text");
    }
    return text(field);
  }

  Optional<Integer> whole(String field) {
    String kind = "a whole number of at most " + Integer.MAX_VALUE;
    return value(field)
        .flatMap(
            node ->
                read(
                    field,
                    node,
                    kind,
                    node.isIntegralNumber() && node.canConvertToInt(),
                    JsonNode::intValue));
  }

  /** True or false. */
  Optional<Boolean> flag(String field) {
    return value(field)
        .flatMap(
            node -> read(field, node, "true or false", node.isBoolean(), JsonNode::booleanValue));
  }

  /** A number of bytes, zero or more. */
  Optional<Long> size(String field) {
    return value(field)
        .flatMap(
            node ->
                read(
                    field,
                    node,
                    "a number of bytes, zero or more",
                    node.isIntegralNumber() && node.canConvertToLong() && node.longValue() >= 0,
                    JsonNode::longValue));
  }

  Optional<Duration> duration(String field) {
    Optional<String> text = text(field);
    try {
      return text.map(Duration::parse);
    } catch (DateTimeException | ArithmeticException e) {
      add(field, "takes a duration such as PT1H30M; received " + printable(text.orElse("")));
      return Optional.empty();
    }
  }

  /** The fields of an object inside. */
  Optional<JsonFields> object(String field) {
    return value(field).map(node -> new JsonFields(name(path, field), node, problems));
  }

  /** The elements of a list; none when it is missing. */
  List<JsonNode> list(String field) {
    return value(field)
        .flatMap(node -> read(field, node, "a list", node.isArray(), JsonFields::elements))
        .orElse(List.of());
  }

  private static List<JsonNode> elements(JsonNode list) {
    List<JsonNode> elements = new ArrayList<>();
    list.forEach(elements::add);
    return elements;
  }

  /** The names of all fields in order; for objects whose names are free. */
  List<String> names() {
    return List.copyOf(object.propertyNames());
  }

  /** Notes every field that was not asked for. */
  void end() {
    for (String field : names()) {
      if (!known.contains(field)) {
        add(field, "is no field; there are " + String.join(", ", known));
      }
    }
  }

  void add(String field, String message) {
    problems.add(new Problem(name(path, field), message));
  }

  private <T> Optional<T> read(
      String field, JsonNode node, String kind, boolean right, Function<JsonNode, T> reader) {
    if (right) {
      return Optional.of(reader.apply(node));
    }
    add(field, expected(kind, node));
    return Optional.empty();
  }

  /** What a value should have been and of which kind it is. */
  static String expected(String kind, JsonNode received) {
    String found =
        switch (received.getNodeType()) {
          case STRING -> "a text";
          case NUMBER -> "the number " + received.asString();
          case BOOLEAN -> received.asString();
          case ARRAY -> "a list";
          case OBJECT -> "an object";
          case NULL -> "null";
          case MISSING -> "nothing";
          case BINARY, POJO -> "a value of another kind";
        };
    return "takes " + kind + "; received " + found;
  }

  /** A name from outside, cut when it is long, with everything but plain letters escaped. */
  static String printable(String value) {
    StringBuilder text = new StringBuilder();
    value
        .chars()
        .limit(LONGEST_SHOWN)
        .forEach(
            c -> {
              if (c >= ' ' && c <= '~') {
                text.append((char) c);
              } else {
                text.append("\\u%04x".formatted(c));
              }
            });
    return text.append(value.length() > LONGEST_SHOWN ? "…" : "").toString();
  }
}
