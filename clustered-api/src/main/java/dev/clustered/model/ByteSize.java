// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * A number of bytes. Immutable and thread-safe.
 *
 * @param bytes zero or more
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {

  /** No bytes. */
  public static final ByteSize ZERO = new ByteSize(0);

  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("a byte size is zero or more; received: " + bytes);
    }
  }

  /** So many KiB (1,024 bytes each). */
  public static ByteSize kibibytes(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 10));
  }

  /** So many MiB (1,024 KiB each). */
  public static ByteSize mebibytes(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 20));
  }

  /** So many GiB (1,024 MiB each). */
  public static ByteSize gibibytes(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 30));
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** For people: the largest unit that divides the size, such as {@code 80 GiB}. */
  @Override
  public String toString() {
    if (bytes == 0) {
      return "0 B";
    }
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    long rest = bytes;
    int unit = 0;
    while (unit < units.length - 1 && rest % 1024 == 0) {
      rest /= 1024;
      unit++;
    }
    return rest + " " + units[unit];
  }
}
