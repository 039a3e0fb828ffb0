// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static java.util.stream.Collectors.joining;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Shape;
import dev.clustered.spi.Setting;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Settings as text: declared, written and read. */
final class SettingText {

  private static final Map<String, String> RULES = rules();
  private static final int MOST_NODES = 100_000;

  private final Map<String, String> values;

  private SettingText(Map<String, String> values) {
    this.values = values;
  }

  private static Map<String, String> rules() {
    Map<String, String> rules = new LinkedHashMap<>();
    rules.put("zones", "Names of the zones, in lower case, separated by commas.");
    rules.put("nodes", "The most nodes in a zone at a time: 1 to 100000.");
    rules.put("fabric-nodes", "Neighbouring nodes of a zone that share a fabric: 1 to 100000.");
    rules.put("block-nodes", "Neighbouring nodes of a fabric that make a block: 1 to 100000.");
    rules.put("shapes", ShapeText.RULE);
    rules.put("boot-time", "How long a launch takes, zero or more, as ISO 8601: PT0S, PT1.5S.");
    rules.put("agents", "Where agents run: in-process, own-jvm or outliving.");
    rules.put(
        "directory",
        "Where the nodes of outliving agents lie, an absolute path that stays; needed for them.");
    rules.put("hourly-price", "The price of a node for an hour, zero or more: 0, 1.25.");
    return rules;
  }

  /** Every setting with its default. */
  static List<Setting> declare(LocalSettings defaults) {
    Map<String, String> texts = write(defaults);
    return RULES.entrySet().stream()
        .map(
            rule ->
                new Setting(
                    rule.getKey(),
                    texts.getOrDefault(rule.getKey(), ""),
                    rule.getValue(),
                    Setting.Visibility.PLAIN))
        .toList();
  }

  private static Map<String, String> write(LocalSettings settings) {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("zones", String.join(", ", settings.zones()));
    texts.put("nodes", String.valueOf(settings.nodes()));
    texts.put("fabric-nodes", String.valueOf(settings.fabricNodes()));
    texts.put("block-nodes", String.valueOf(settings.blockNodes()));
    texts.put("shapes", settings.shapes().stream().map(ShapeText::write).collect(joining("; ")));
    texts.put("boot-time", settings.bootTime().toString());
    texts.put("agents", word(settings.agents()));
    texts.put("directory", settings.directory().map(Path::toString).orElse(""));
    texts.put("hourly-price", settings.hourlyPrice().toPlainString());
    return texts;
  }

  /**
   * The values, and the default of what they leave out.
   *
   * @throws ClusterException with INVALID_SETTING for a key or a value that is not right
   */
  static LocalSettings read(LocalSettings defaults, Map<String, String> given) {
    Map<String, String> values = write(defaults);
    given.forEach(
        (key, value) -> {
          if (values.put(key, value) == null) {
            throw new ClusterException(
                ErrorCode.INVALID_SETTING,
                "backend local has no setting " + key + "; it has: " + RULES.keySet());
          }
        });
    SettingText text = new SettingText(values);
    return new LocalSettings(
        text.value("zones", SettingText::zones),
        text.value("nodes", SettingText::count),
        text.value("fabric-nodes", SettingText::count),
        text.value("block-nodes", SettingText::count),
        text.value("shapes", SettingText::shapes),
        text.value("boot-time", SettingText::duration),
        text.value("agents", SettingText::place),
        text.value("directory", SettingText::directory),
        text.value("hourly-price", SettingText::price));
  }

  private <T> T value(String key, Function<String, T> parser) {
    String value = values.getOrDefault(key, "");
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw new ClusterException(
          ErrorCode.INVALID_SETTING,
          "the setting %s of backend local cannot be \"%s\"; it takes: %s"
              .formatted(key, value, RULES.get(key)),
          e);
    }
  }

  private static List<String> zones(String text) {
    List<String> zones = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    require(zones.stream().allMatch(zone -> zone.matches("[a-z][a-z0-9-]{0,39}")));
    require(zones.stream().distinct().count() == zones.size());
    return zones;
  }

  private static List<Shape> shapes(String text) {
    List<Shape> shapes = new ArrayList<>();
    for (String shape : text.split(";", -1)) {
      shapes.add(ShapeText.read(shape));
    }
    require(shapes.stream().map(Shape::name).distinct().count() == shapes.size());
    return shapes;
  }

  private static int count(String text) {
    int count = Integer.parseInt(text.strip());
    require(count >= 1 && count <= MOST_NODES);
    return count;
  }

  private static Duration duration(String text) {
    Duration duration = Duration.parse(text.strip());
    require(!duration.isNegative());
    return duration;
  }

  private static BigDecimal price(String text) {
    BigDecimal price = new BigDecimal(text.strip());
    require(price.signum() >= 0);
    return price;
  }

  private static Optional<Path> directory(String text) {
    if (text.isBlank()) {
      return Optional.empty();
    }
    Path path = Path.of(text.strip());
    require(path.isAbsolute() && text.indexOf('\n') < 0);
    return Optional.of(path.normalize());
  }

  private static AgentPlace place(String text) {
    for (AgentPlace place : AgentPlace.values()) {
      if (word(place).equals(text.strip())) {
        return place;
      }
    }
    throw new IllegalArgumentException(text);
  }

  private static String word(AgentPlace place) {
    return place.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static void require(boolean right) {
    if (!right) {
      throw new IllegalArgumentException("the value breaks the rule");
    }
  }
}
