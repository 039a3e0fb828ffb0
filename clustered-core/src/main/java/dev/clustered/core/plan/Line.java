// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Things in their order, most of which come as the last and leave as the first: both cost nothing
 * however many there are. Not thread-safe.
 */
final class Line<T extends Comparable<? super T>> {

  private final List<T> all = new ArrayList<>();

  /** How many of the first have left already. */
  private int gone;

  /**
   * Adds what is not there yet.
   *
   * @return whether it is the last now
   */
  boolean add(T one) {
    if (isEmpty() || all.getLast().compareTo(one) < 0) {
      all.add(one);
      return true;
    }
    int at = Collections.binarySearch(inOrder(), one);
    all.add(gone - at - 1, one);
    return false;
  }

  /**
   * Removes what is there.
   *
   * @return whether it was the first
   */
  boolean remove(T one) {
    if (all.get(gone).compareTo(one) != 0) {
      all.remove(gone + Collections.binarySearch(inOrder(), one));
      return false;
    }
    gone++;
    if (gone > all.size() / 2) {
      all.subList(0, gone).clear();
      gone = 0;
    }
    return true;
  }

  boolean isEmpty() {
    return gone == all.size();
  }

  int size() {
    return all.size() - gone;
  }

  /** All of them; to be read before anything comes or leaves. */
  List<T> inOrder() {
    return all.subList(gone, all.size());
  }
}
