// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.exec;

/** A queue of bytes that grows up to a capacity. Not thread-safe. */
final class ByteRing {

  private static final int FIRST = 4_096;

  private final int capacity;
  private byte[] ring = new byte[0];
  private int head;
  private int size;

  ByteRing(int capacity) {
    this.capacity = capacity;
  }

  int size() {
    return size;
  }

  int room() {
    return capacity - size;
  }

  /** Adds as much as there is room for; gives how much that is. */
  int add(byte[] bytes, int offset, int length) {
    int count = Math.min(length, room());
    grow(size + count);
    int tail = ring.length == 0 ? 0 : (head + size) % ring.length;
    int first = Math.min(count, ring.length - tail);
    System.arraycopy(bytes, offset, ring, tail, first);
    System.arraycopy(bytes, offset + first, ring, 0, count - first);
    size += count;
    return count;
  }

  /** Copies bytes from a place behind the first one; gives how many. */
  int copy(int from, byte[] target, int offset, int length) {
    int count = Math.min(length, size - from);
    if (count <= 0) {
      return 0;
    }
    int start = (head + from) % ring.length;
    int first = Math.min(count, ring.length - start);
    System.arraycopy(ring, start, target, offset, first);
    System.arraycopy(ring, 0, target, offset + first, count - first);
    return count;
  }

  /** Takes bytes away from the beginning. */
  void remove(int count) {
    size -= count;
    head = size == 0 ? 0 : (head + count) % ring.length;
  }

  void clear() {
    ring = new byte[0];
    head = 0;
    size = 0;
  }

  private void grow(int needed) {
    if (needed <= ring.length) {
      return;
    }
    long doubled = Math.max(FIRST, 2L * ring.length);
    byte[] larger = new byte[(int) Math.min(capacity, Math.max(doubled, needed))];
    int kept = copy(0, larger, 0, size);
    ring = larger;
    head = 0;
    size = kept;
  }
}
