// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.util.List;

/**
 * A command that runs beside a rank; fetched once, because it may be large and hold secrets.
 * Immutable and thread-safe.
 *
 * @param command program and arguments
 * @param input whether its input is to be asked for
 */
public record ExecDocument(List<String> command, boolean input) {

  public ExecDocument {
    command = List.copyOf(command);
  }

  /** Without the command. */
  @Override
  public String toString() {
    return "ExecDocument[arguments=" + (command.size() - 1) + ", input=" + input + "]";
  }
}
