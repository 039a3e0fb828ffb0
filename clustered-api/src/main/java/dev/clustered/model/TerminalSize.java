// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * The size of a terminal in characters. Immutable and thread-safe.
 *
 * @param columns 1 to 65,535
 * @param rows 1 to 65,535
 */
public record TerminalSize(int columns, int rows) {

  private static final int MOST = 65_535;

  public TerminalSize {
    if (columns < 1 || columns > MOST || rows < 1 || rows > MOST) {
      throw new IllegalArgumentException(
          "a terminal has 1 to %d columns and rows; received: %d × %d"
              .formatted(MOST, columns, rows));
    }
  }

  @Override
  public String toString() {
    return columns + " × " + rows;
  }
}
