// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import dev.clustered.examples.console.NumberOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * What the command line asks for. Immutable and thread-safe.
 *
 * @param nodes how many nodes train; 1 or more
 * @param processes how many processes train on each node; 1 or more
 * @param epochs passes over the training images; 1 or more
 */
record TorchrunOptions(int nodes, int processes, int epochs) {

  /**
   * Reads {@code --nodes N}, {@code --processes N} and {@code --epochs N}; what is not given there
   * is taken from the properties {@code torchrun.nodes}, {@code torchrun.processes} and {@code
   * torchrun.epochs}.
   *
   * @throws IllegalArgumentException saying what is wrong and how to call the program
   */
  static TorchrunOptions parse(List<String> arguments, Properties properties) {
    Map<String, Integer> defaults = new LinkedHashMap<>();
    defaults.put("nodes", 2);
    defaults.put("processes", 2);
    defaults.put("epochs", 10);
    NumberOptions options = new NumberOptions("torchrun", defaults).parse(arguments, properties);
    return new TorchrunOptions(
        options.value("nodes"), options.value("processes"), options.value("epochs"));
  }
}
