// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * The options of an example, all of them whole numbers of 1 or more: {@code --name N} on the
 * command line, or else the property {@code example.name}, or else a default. Not thread-safe.
 */
public final class NumberOptions {
  private final String example;
  private final Map<String, Integer> values;

  /**
   * Options with nothing but their defaults.
   *
   * @param example the name of the program
   * @param defaults the value of every option by its name, in the order to list them
   */
  public NumberOptions(String example, Map<String, Integer> defaults) {
    this.example = example;
    this.values = new LinkedHashMap<>(defaults);
  }

  /**
   * Takes what is given instead of the defaults.
   *
   * @throws IllegalArgumentException saying what is wrong and how to call the program
   */
  public NumberOptions parse(List<String> arguments, Properties properties) {
    for (Map.Entry<String, Integer> option : values.entrySet()) {
      String property = example + "." + option.getKey();
      String value = properties.getProperty(property);
      if (value != null) {
        option.setValue(number(property, value));
      }
    }
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      String name = argument.startsWith("--") ? argument.substring(2) : "";
      if (!values.containsKey(name)) {
        throw new IllegalArgumentException("unknown option " + argument + "; " + usage());
      }
      values.put(name, number(argument, rest.hasNext() ? rest.next() : "nothing"));
    }
    return this;
  }

  /** The value of an option; one of the defaults' names. */
  public int value(String name) {
    Integer value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException(example + " has no option " + name);
    }
    return value;
  }

  private int number(String name, String value) {
    try {
      int number = Integer.parseInt(value);
      if (number >= 1) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number that is too small.
    }
    throw new IllegalArgumentException(
        "%s takes a whole number of 1 or more, received %s; %s".formatted(name, value, usage()));
  }

  private String usage() {
    return values.keySet().stream()
        .map(name -> "[--" + name + " N]")
        .collect(Collectors.joining(" ", "usage: " + example + " ", ""));
  }
}
