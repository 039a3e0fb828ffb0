// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The schema beside the scenario files says the same as the reader. */
class SchemaTest {

  private final JsonNode schema = schema();

  private static JsonNode schema() {
    try {
      Path file = ScenarioFilesTest.FOLDER.resolve("scenario.schema.json");
      return ScenarioReader.tree("schema", Files.readString(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static List<Path> files() throws IOException {
    return ScenarioFilesTest.files();
  }

  @ParameterizedTest
  @EnumSource(Part.class)
  void hasTheFieldsThatTheReaderKnows(Part part) {
    JsonNode definition = schema.get("$defs").get(part.definition());
    assertThat(definition).as(part.definition()).isNotNull();
    assertThat(definition.get("properties").propertyNames())
        .containsExactlyInAnyOrderElementsOf(part.fields());
    assertThat(definition.get("additionalProperties").booleanValue()).isFalse();
  }

  @Test
  void hasNoPartThatTheReaderDoesNotKnow() {
    List<String> parts = new ArrayList<>();
    for (String name : schema.get("$defs").propertyNames()) {
      if (schema.get("$defs").get(name).optional("properties").isPresent()) {
        parts.add(name);
      }
    }
    assertThat(parts)
        .containsExactlyInAnyOrderElementsOf(
            List.of(Part.values()).stream().map(Part::definition).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void holdsForEveryFile(Path file) throws IOException {
    JsonNode tree = ScenarioReader.tree(file.toString(), Files.readString(file));
    if (tree.optional("invalid").isEmpty()) {
      assertThat(problems(tree, schema, "")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"pol\": {}}",
        "{\"pool\": {}}",
        "{\"pool\": [{\"nodes\": \"n1\"}]}",
        "{\"waiting\": [{\"gang\": \"a\", \"nodes\": 0}]}",
        "{\"waiting\": [{\"gang\": \"a\", \"nodes\": 1.5}]}",
        "{\"running\": [{\"gang\": \"a\", \"on\": 3}]}",
        "{\"running\": [{\"gang\": \"a\", \"on\": \"n1\", \"phase\": \"asleep\"}]}"
      })
  void refusesWhatTheReaderRefuses(String text) {
    assertThat(problems(ScenarioReader.tree("text", text), schema, "")).isNotEmpty();
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> ScenarioReader.read("text", text))
        .isInstanceOf(ScenarioException.class);
  }

  /** As much of the language of schemas as this one uses. */
  private List<String> problems(JsonNode value, JsonNode rule, String path) {
    List<String> problems = new ArrayList<>();
    rule.optional("$ref")
        .ifPresent(
            ref -> {
              String name = ref.stringValue().substring("#/$defs/".length());
              problems.addAll(problems(value, schema.get("$defs").get(name), path));
            });
    rule.optional("anyOf").ifPresent(any -> anyOf(value, any, path, problems));
    rule.optional("enum")
        .ifPresent(
            words -> {
              boolean found = false;
              for (JsonNode word : words) {
                found |= word.equals(value);
              }
              add(problems, found, path, "is none of " + words);
            });
    rule.optional("type")
        .ifPresent(type -> add(problems, is(value, type.stringValue()), path, "is no " + type));
    rule.optional("minimum")
        .filter(least -> value.isIntegralNumber())
        .ifPresent(
            least ->
                add(problems, value.longValue() >= least.longValue(), path, "less than " + least));
    rule.optional("required")
        .ifPresent(
            names ->
                names.forEach(
                    name ->
                        add(
                            problems,
                            value.optional(name.stringValue()).isPresent(),
                            path,
                            "lacks " + name)));
    rule.optional("items")
        .filter(items -> value.isArray())
        .ifPresent(
            items -> value.forEach(item -> problems.addAll(problems(item, items, path + "[]"))));
    rule.optional("properties")
        .filter(properties -> value.isObject())
        .ifPresent(properties -> fields(value, properties, path, problems));
    return problems;
  }

  private void fields(JsonNode value, JsonNode properties, String path, List<String> problems) {
    for (String name : value.propertyNames()) {
      JsonNode rule = properties.get(name);
      add(problems, rule != null, path + "." + name, "is no field");
      if (rule != null) {
        problems.addAll(problems(value.get(name), rule, path + "." + name));
      }
    }
  }

  private void anyOf(JsonNode value, JsonNode any, String path, List<String> problems) {
    boolean found = false;
    for (JsonNode rule : any) {
      found |= problems(value, rule, path).isEmpty();
    }
    add(problems, found, path, "is none of what it may be");
  }

  private static void add(List<String> problems, boolean right, String path, String text) {
    if (!right) {
      problems.add(path + " " + text);
    }
  }

  private static boolean is(JsonNode value, String type) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isString();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      default -> throw new AssertionError(type);
    };
  }
}
