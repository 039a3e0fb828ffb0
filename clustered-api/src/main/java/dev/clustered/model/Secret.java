// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * A value that is handed to the ranks and shown nowhere else: not in logs of the library, events,
 * exceptions, {@code toString}, JSON, the journal or a command line. JSON has {@code ***} in its
 * place, which cannot be read back. Immutable and thread-safe.
 */
public final class Secret {

  private final String value;

  private Secret(String value) {
    this.value = value;
  }

  /** A secret of this value. */
  public static Secret of(String value) {
    return new Secret(value);
  }

  /** The value itself: to be passed on, never to be written down. */
  public String reveal() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && secret.value.equals(value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return "***";
  }
}
