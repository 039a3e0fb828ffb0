// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.util.Iterator;
import java.util.List;
import java.util.Properties;

/**
 * What the command line asks for. Immutable and thread-safe.
 *
 * @param nodes how many nodes train; 1 or more
 * @param epochs passes over the training images; 1 or more
 */
record DigitsOptions(int nodes, int epochs) {
  private static final String USAGE = "usage: digits [--nodes N] [--epochs N]";
  private static final DigitsOptions DEFAULT = new DigitsOptions(4, 20);

  /**
   * Reads {@code --nodes N} and {@code --epochs N}; what is not given there is taken from the
   * properties {@code digits.nodes} and {@code digits.epochs}.
   *
   * @throws IllegalArgumentException saying what is wrong and how to call the program
   */
  static DigitsOptions parse(List<String> arguments, Properties properties) {
    int nodes = property(properties, "digits.nodes", DEFAULT.nodes);
    int epochs = property(properties, "digits.epochs", DEFAULT.epochs);
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String name = rest.next();
      switch (name) {
        case "--nodes" -> nodes = number(name, rest.hasNext() ? rest.next() : "nothing");
        case "--epochs" -> epochs = number(name, rest.hasNext() ? rest.next() : "nothing");
        default -> throw new IllegalArgumentException("unknown option " + name + "; " + USAGE);
      }
    }
    return new DigitsOptions(nodes, epochs);
  }

  private static int property(Properties properties, String name, int fallback) {
    return number(name, properties.getProperty(name, Integer.toString(fallback)));
  }

  private static int number(String name, String value) {
    try {
      int number = Integer.parseInt(value);
      if (number >= 1) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number that is too small.
    }
    throw new IllegalArgumentException(
        "%s takes a whole number of 1 or more, received %s; %s".formatted(name, value, USAGE));
  }
}
