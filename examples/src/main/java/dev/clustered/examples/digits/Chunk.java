// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

/** A part of an array, from start (inclusive) to end (exclusive). Immutable and thread-safe. */
record Chunk(int start, int end) {

  /** One of several chunks that an array falls into; their lengths differ by one at most. */
  static Chunk of(int length, int number, int chunks) {
    return new Chunk(
        (int) ((long) length * number / chunks), (int) ((long) length * (number + 1) / chunks));
  }

  int length() {
    return end - start;
  }

  /** As many elements at the beginning of an array. */
  Chunk fromZero() {
    return new Chunk(0, length());
  }
}
