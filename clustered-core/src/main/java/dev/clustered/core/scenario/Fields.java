// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.scenario.NamePattern.Name;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The fields of one object of a scenario file. Refuses what there is not and what is of another
 * kind, saying where. Not thread-safe.
 */
final class Fields {

  private final Origin origin;
  private final String path;
  private final JsonNode object;
  private final Part part;
  private final List<String> values;
  private final Set<String> asked = new TreeSet<>();

  /**
   * Where values come from.
   *
   * @param file its name
   * @param now the moment that others are counted from
   * @param by when it happens: what has been by then is no later
   * @param names what there is
   */
  record Origin(String file, Instant now, Instant by, Names names) {}

  Fields(Origin origin, String path, JsonNode object, Part part, List<String> values) {
    this.origin = origin;
    this.path = path;
    this.object = object;
    this.part = part;
    this.values = values;
    if (!object.isObject()) {
      throw refusal(path, "takes an object", object, "put fields in braces: " + part.fields());
    }
    for (String field : object.propertyNames()) {
      if (!part.fields().contains(field)) {
        throw refusal(
            at(field), "there is no such field", object.get(field), "there are " + part.fields());
      }
    }
  }

  /** The same with another moment to count from. */
  Fields since(Instant now) {
    return from(new Origin(origin.file(), now, now, origin.names()));
  }

  /** The same, happening then. */
  Fields at(Instant moment) {
    return from(new Origin(origin.file(), origin.now(), moment, origin.names()));
  }

  private Fields from(Origin other) {
    return new Fields(other, path, object, part, values);
  }

  /** The same once for each name that a field stands for, with the ranges' values filled in. */
  List<Fields> forEach(String field) {
    String pattern = filled(field, require(field));
    asked.add(field);
    return expand(field, pattern).stream()
        .map(name -> new Fields(origin, path, object, part, name.values()).named(field, name))
        .toList();
  }

  private Fields named(String field, Name name) {
    tools.jackson.databind.node.ObjectNode copy =
        ((tools.jackson.databind.node.ObjectNode) object).deepCopy();
    copy.put(field, name.text());
    return new Fields(origin, path, copy, part, values);
  }

  String path() {
    return path;
  }

  /** When this happens. */
  Instant by() {
    return origin.by();
  }

  Names names() {
    return origin.names();
  }

  /** Says that there must be something of this name in the file, and gives it back. */
  String mention(Names.Kind kind, String field, String name) {
    origin.names().mention(kind, this, field, name);
    return name;
  }

  private String at(String field) {
    return path.isEmpty() || field.isEmpty() ? path + field : path + "." + field;
  }

  /** The value of a field; empty when it is missing. */
  Optional<JsonNode> value(String field) {
    if (!part.fields().contains(field)) {
      throw new IllegalStateException(part + " has no field " + field);
    }
    asked.add(field);
    return object.optional(field);
  }

  boolean has(String field) {
    return value(field).isPresent();
  }

  private JsonNode require(String field) {
    return value(field).orElseThrow(() -> refusal(at(field), "is missing", object, "add it"));
  }

  private String filled(String field, JsonNode node) {
    if (!node.isString()) {
      throw refusal(at(field), "takes a text", node, "put it in quotes");
    }
    try {
      return NamePattern.fill(node.stringValue(), values);
    } catch (IllegalArgumentException e) {
      throw refusal(at(field), String.valueOf(e.getMessage()), node, "count the ranges from 1");
    }
  }

  private List<Name> expand(String field, String pattern) {
    try {
      return NamePattern.expand(pattern);
    } catch (IllegalArgumentException e) {
      throw refuse(field, String.valueOf(e.getMessage()), "write ranges as in n[1-4]");
    }
  }

  String text(String field) {
    return filled(field, require(field));
  }

  Optional<String> optionalText(String field) {
    return value(field).map(node -> filled(field, node));
  }

  /** Names, from one text or a list of texts, each of which may stand for several. */
  List<String> names(String field) {
    return value(field).map(node -> names(field, node)).orElse(List.of());
  }

  private List<String> names(String field, JsonNode node) {
    List<String> names = new ArrayList<>();
    if (node.isArray()) {
      node.forEach(
          item -> expand(field, filled(field, item)).forEach(name -> names.add(name.text())));
    } else if (node.isString()) {
      expand(field, filled(field, node)).forEach(name -> names.add(name.text()));
    } else {
      throw refusal(at(field), "takes names", node, "put a text or a list of texts, as in n[1-4]");
    }
    return names;
  }

  List<String> requiredNames(String field) {
    require(field);
    List<String> names = names(field);
    if (names.isEmpty()) {
      throw refuse(field, "takes a name or more", "name what is meant");
    }
    return names;
  }

  Optional<Integer> whole(String field, int least) {
    return value(field)
        .map(
            node -> {
              if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < least) {
                throw refusal(
                    at(field),
                    "takes a whole number of %d to %d".formatted(least, Integer.MAX_VALUE),
                    node,
                    "put such a number");
              }
              return node.intValue();
            });
  }

  int requiredWhole(String field, int least) {
    require(field);
    return whole(field, least).orElseThrow();
  }

  Optional<List<Integer>> wholes(String field) {
    return value(field)
        .map(
            node -> {
              List<Integer> numbers = new ArrayList<>();
              for (String name : names(field)) {
                numbers.add(
                    read(
                        field,
                        "whole numbers in texts, as in [\"[0-3]\"]",
                        name,
                        Integer::parseInt));
              }
              return numbers;
            });
  }

  boolean flag(String field, boolean otherwise) {
    return value(field)
        .map(
            node -> {
              if (!node.isBoolean()) {
                throw refusal(at(field), "takes true or false", node, "put one of them");
              }
              return node.booleanValue();
            })
        .orElse(otherwise);
  }

  double number(String field, double least, double most, double otherwise) {
    return value(field)
        .map(
            node -> {
              if (!node.isNumber()
                  || !(node.doubleValue() >= least && node.doubleValue() <= most)) {
                throw refusal(
                    at(field),
                    "takes a number of %s to %s".formatted(least, most),
                    node,
                    "put one without quotes");
              }
              return node.doubleValue();
            })
        .orElse(otherwise);
  }

  Optional<BigDecimal> price(String field) {
    return optionalText(field)
        .map(text -> read(field, "a price such as \"2.50\"", text, Quantities::price));
  }

  /** How long something takes: zero or more. */
  Optional<Duration> duration(String field) {
    return optionalText(field)
        .map(text -> read(field, "a duration such as PT1H30M", text, Quantities::duration));
  }

  /** The same, longer than zero. */
  Optional<Duration> time(String field) {
    return optionalText(field)
        .map(text -> read(field, "a duration such as PT1H30M", text, Quantities::time));
  }

  /** A moment that is no later than when this happens. */
  Optional<Instant> past(String field) {
    return past(field, origin.by());
  }

  /** A moment that is no later than another. */
  Optional<Instant> past(String field, Instant by) {
    Optional<Instant> moment = moment(field);
    if (moment.filter(at -> at.isAfter(by)).isPresent()) {
      throw refuse(field, "takes a moment that is over by " + by, "put an earlier one");
    }
    return moment;
  }

  /** An instant, or a duration from now, which may be negative. */
  Optional<Instant> moment(String field) {
    return optionalText(field)
        .map(
            text ->
                read(
                    field,
                    "a moment: a duration from now such as PT10M or -PT1H, or an instant",
                    text,
                    moment -> Quantities.moment(moment, origin.now())));
  }

  /** One of the words of an enum, in lower case with blanks. */
  <E extends Enum<E>> Optional<E> word(String field, Class<E> type) {
    return optionalText(field)
        .map(
            text -> {
              for (E value : type.getEnumConstants()) {
                if (word(value).equals(text)) {
                  return value;
                }
              }
              List<String> words = Stream.of(type.getEnumConstants()).map(Fields::word).toList();
              throw refuse(field, "is no such word", "put one of " + words);
            });
  }

  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Reads a text by a function that refuses it with an exception. */
  <T> T read(String field, String kind, String text, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw refuse(
          field, "takes " + kind + " (" + e.getMessage() + ", at \"" + text + "\")", "correct it");
    }
  }

  Optional<Fields> object(String field, Part kind) {
    return value(field).map(node -> new Fields(origin, at(field), node, kind, values));
  }

  List<Fields> list(String field, Part kind) {
    List<Fields> items = new ArrayList<>();
    for (JsonNode item : items(field)) {
      items.add(new Fields(origin, at(field) + "[" + items.size() + "]", item, kind, values));
    }
    return items;
  }

  /** The elements of a list; none when it is missing. */
  List<JsonNode> items(String field) {
    List<JsonNode> items = new ArrayList<>();
    value(field)
        .ifPresent(
            node -> {
              if (!node.isArray()) {
                throw refusal(at(field), "takes a list", node, "put it in [ ]");
              }
              node.forEach(items::add);
            });
    return items;
  }

  /** An object whose names are free and whose values are texts. */
  Map<String, String> texts(String field) {
    Map<String, String> texts = new TreeMap<>();
    value(field)
        .ifPresent(
            node -> {
              if (!node.isObject()) {
                throw refusal(at(field), "takes an object of texts", node, "put it in braces");
              }
              for (String name : node.propertyNames()) {
                texts.put(name, filled(field + "." + name, node.get(name)));
              }
            });
    return texts;
  }

  /** Runs what makes a value that checks itself. */
  <T> T make(Supplier<T> maker) {
    return make("", maker);
  }

  /** Runs what makes a value of a field that checks itself. */
  <T> T make(String field, Supplier<T> maker) {
    try {
      return maker.get();
    } catch (ScenarioException e) {
      throw e;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw refuse(field, String.valueOf(e.getMessage()), "correct it");
    }
  }

  ScenarioException refuse(String field, String wrong, String advice) {
    return refusal(at(field), wrong, object.optional(field).orElse(object), advice);
  }

  private ScenarioException refusal(String where, String wrong, JsonNode value, String advice) {
    return ScenarioException.of(origin.file(), where, wrong, value, advice);
  }

  /** Fields that nobody asked for although the part has them: the reader forgot them. */
  void end() {
    for (String field : part.fields()) {
      if (!asked.contains(field)) {
        throw new IllegalStateException("nobody reads the field " + field + " of " + part);
      }
    }
  }
}
