// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.function.BiConsumer;

/** What a variable for ranks must obey, so that a process can be given it. */
final class EnvironmentRules {

  private EnvironmentRules() {}

  /** Notes everything that is wrong, as of this field. */
  static void check(
      String field, String variable, String value, BiConsumer<String, String> problems) {
    if (variable.isEmpty() || variable.indexOf('=') >= 0 || Names.hasControlCharacter(variable)) {
      problems.accept(field, "is no variable name: " + Names.printable(variable));
    }
    if (value.indexOf('\0') >= 0) {
      problems.accept(field, "the value of " + Names.printable(variable) + " has a NUL character");
    }
    if (Names.hasUnpairedSurrogate(variable) || Names.hasUnpairedSurrogate(value)) {
      problems.accept(
          field, Names.printable(variable) + " has half of a character (an unpaired surrogate)");
    }
    if (variable.startsWith("CLUSTERED_")) {
      problems.accept(
          field, Names.printable(variable) + " is reserved: names of the contract begin so");
    }
  }
}
