// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import tools.jackson.databind.JsonNode;

/** A scenario file that cannot be read; the message says where, what was there, and what to do. */
public final class ScenarioException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  private static final int LONGEST_SHOWN = 80;

  ScenarioException(String message) {
    super(message);
  }

  /** What is wrong at a place of a file; the file itself when it is empty. */
  static ScenarioException of(
      String file, String where, String wrong, JsonNode value, String advice) {
    String text = value.toString();
    String shown = text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "…" : text;
    return new ScenarioException(
        "%s, %s: %s; received %s; %s"
            .formatted(file, where.isEmpty() ? "the file" : where, wrong, shown, advice));
  }
}
