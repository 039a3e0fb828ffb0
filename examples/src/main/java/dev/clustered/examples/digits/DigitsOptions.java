// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import dev.clustered.examples.console.NumberOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * What the command line asks for. Immutable and thread-safe.
 *
 * @param nodes how many nodes train; 1 or more
 * @param epochs passes over the training images; 1 or more
 */
record DigitsOptions(int nodes, int epochs) {

  /**
   * Reads {@code --nodes N} and {@code --epochs N}; what is not given there is taken from the
   * properties {@code digits.nodes} and {@code digits.epochs}.
   *
   * @throws IllegalArgumentException saying what is wrong and how to call the program
   */
  static DigitsOptions parse(List<String> arguments, Properties properties) {
    Map<String, Integer> defaults = new LinkedHashMap<>();
    defaults.put("nodes", 4);
    defaults.put("epochs", 20);
    NumberOptions options = new NumberOptions("digits", defaults).parse(arguments, properties);
    return new DigitsOptions(options.value("nodes"), options.value("epochs"));
  }
}
