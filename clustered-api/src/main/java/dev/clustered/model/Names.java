// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** Rules for names and identifiers, in one place. */
final class Names {

  /** The longest label value that AWS, GCP and Kubernetes all take. */
  static final int MAXIMUM_LENGTH = 63;

  private static final int LONGEST_SHOWN = 80;

  private Names() {}

  static void requireIdentifier(String what, String value) {
    if (!isIdentifier(value)) {
      throw new IllegalArgumentException(
          what
              + " must be 1 to 63 lower-case letters, digits and hyphens; received: "
              + printable(value));
    }
  }

  static boolean isIdentifier(String value) {
    if (value.isEmpty() || value.length() > MAXIMUM_LENGTH) {
      return false;
    }
    return value.chars().allMatch(c -> c == '-' || (c >= 'a' && c <= 'z') || isDigit(c));
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  static boolean hasControlCharacter(String value) {
    return value.codePoints().anyMatch(Character::isISOControl);
  }

  /** Whether it has half of a character, which no bytes stand for. */
  static boolean hasUnpairedSurrogate(String value) {
    return value.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE);
  }

  /**
   * The value in quotes, its end cut off when it is long. Whatever could end the quotes, break the
   * line or turn the reading direction is written as an escape.
   */
  static String printable(String value) {
    StringBuilder text = new StringBuilder("\"");
    value.codePoints().limit(LONGEST_SHOWN).forEach(c -> append(text, c));
    boolean cut = value.codePointCount(0, value.length()) > LONGEST_SHOWN;
    return text.append(cut ? "…\"" : "\"").toString();
  }

  private static void append(StringBuilder text, int codePoint) {
    switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          text.append(String.format("\\u%04x", codePoint));
      default -> {
        if (codePoint == '"' || codePoint == '\\') {
          text.append('\\');
        }
        text.appendCodePoint(codePoint);
      }
    }
  }
}
