// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

/**
 * One setting of a backend. Immutable and thread-safe.
 *
 * @param key lower-case words joined by hyphens
 * @param defaultValue what holds when it is not set
 * @param description a sentence for people, with the unit and range
 * @param visibility whether its value may be shown
 */
public record Setting(String key, String defaultValue, String description, Visibility visibility) {

  /** Whether a setting's value may be shown. */
  public enum Visibility {
    PLAIN,
    SECRET
  }
}
