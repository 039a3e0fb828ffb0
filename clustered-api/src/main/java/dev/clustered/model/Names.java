// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** Rules for names and identifiers, in one place. */
final class Names {

  /** The longest label value that AWS, GCP and Kubernetes all take. */
  static final int MAXIMUM_LENGTH = 63;

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

  /** The value with control characters written as escapes and its end cut off when it is long. */
  static String printable(String value) {
    StringBuilder text = new StringBuilder("\"");
    value
        .codePoints()
        .limit(80)
        .forEach(
            c -> {
              if (Character.isISOControl(c)) {
                text.append(String.format("\\u%04x", c));
              } else {
                text.appendCodePoint(c);
              }
            });
    return text.append(value.codePointCount(0, value.length()) > 80 ? "…\"" : "\"").toString();
  }
}
