// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A sorted map that never changes: {@link #with} and {@link #without} give another one that shares
 * all but a path with this. An AVL tree. Immutable and thread-safe.
 */
final class Tree<K extends Comparable<K>, V> {

  private record Branch<K, V>(
      K key, V value, @Nullable Branch<K, V> left, @Nullable Branch<K, V> right, int height) {}

  private final @Nullable Branch<K, V> root;

  private Tree(@Nullable Branch<K, V> root) {
    this.root = root;
  }

  static <K extends Comparable<K>, V> Tree<K, V> empty() {
    return new Tree<>(null);
  }

  boolean isEmpty() {
    return root == null;
  }

  Optional<V> get(K key) {
    Branch<K, V> at = root;
    while (at != null) {
      int order = key.compareTo(at.key);
      if (order == 0) {
        return Optional.of(at.value);
      }
      at = order < 0 ? at.left : at.right;
    }
    return Optional.empty();
  }

  Tree<K, V> with(K key, V value) {
    return new Tree<>(with(root, key, value));
  }

  Tree<K, V> without(K key) {
    return new Tree<>(without(root, key));
  }

  /** Goes through the values in the order of their keys. */
  <R> R fold(R start, BiFunction<R, V, R> step) {
    return fold(root, start, step);
  }

  private static <K, V, R> R fold(@Nullable Branch<K, V> at, R start, BiFunction<R, V, R> step) {
    if (at == null) {
      return start;
    }
    return fold(at.right, step.apply(fold(at.left, start, step), at.value), step);
  }

  private static <K extends Comparable<K>, V> Branch<K, V> with(
      @Nullable Branch<K, V> at, K key, V value) {
    if (at == null) {
      return branch(key, value, null, null);
    }
    int order = key.compareTo(at.key);
    if (order == 0) {
      return branch(key, value, at.left, at.right);
    }
    return order < 0
        ? balanced(at, with(at.left, key, value), at.right)
        : balanced(at, at.left, with(at.right, key, value));
  }

  private static <K extends Comparable<K>, V> @Nullable Branch<K, V> without(
      @Nullable Branch<K, V> at, K key) {
    if (at == null) {
      return null;
    }
    int order = key.compareTo(at.key);
    if (order < 0) {
      return balanced(at, without(at.left, key), at.right);
    }
    if (order > 0) {
      return balanced(at, at.left, without(at.right, key));
    }
    if (at.left == null || at.right == null) {
      return at.left == null ? at.right : at.left;
    }
    Branch<K, V> next = first(at.right);
    return balanced(next, at.left, without(at.right, next.key));
  }

  private static <K, V> Branch<K, V> first(Branch<K, V> at) {
    Branch<K, V> first = at;
    while (first.left != null) {
      first = first.left;
    }
    return first;
  }

  /** The entry over two branches whose heights differ by two at most. */
  private static <K, V> Branch<K, V> balanced(
      Branch<K, V> entry, @Nullable Branch<K, V> left, @Nullable Branch<K, V> right) {
    if (left != null && height(left) > height(right) + 1) {
      boolean outer = height(left.left) >= height(left.right);
      return raisedLeft(entry, outer || left.right == null ? left : raisedRight(left), right);
    }
    if (right != null && height(right) > height(left) + 1) {
      boolean outer = height(right.right) >= height(right.left);
      return raisedRight(entry, left, outer || right.left == null ? right : raisedLeft(right));
    }
    return branch(entry.key, entry.value, left, right);
  }

  private static <K, V> Branch<K, V> raisedLeft(Branch<K, V> at) {
    return at.left == null ? at : raisedLeft(at, at.left, at.right);
  }

  private static <K, V> Branch<K, V> raisedRight(Branch<K, V> at) {
    return at.right == null ? at : raisedRight(at, at.left, at.right);
  }

  private static <K, V> Branch<K, V> raisedLeft(
      Branch<K, V> entry, Branch<K, V> left, @Nullable Branch<K, V> right) {
    Branch<K, V> lowered = branch(entry.key, entry.value, left.right, right);
    return branch(left.key, left.value, left.left, lowered);
  }

  private static <K, V> Branch<K, V> raisedRight(
      Branch<K, V> entry, @Nullable Branch<K, V> left, Branch<K, V> right) {
    Branch<K, V> lowered = branch(entry.key, entry.value, left, right.left);
    return branch(right.key, right.value, lowered, right.right);
  }

  private static <K, V> Branch<K, V> branch(
      K key, V value, @Nullable Branch<K, V> left, @Nullable Branch<K, V> right) {
    return new Branch<>(key, value, left, right, 1 + Math.max(height(left), height(right)));
  }

  private static int height(@Nullable Branch<?, ?> branch) {
    return branch == null ? 0 : branch.height;
  }

  /** How many entries lie on the longest way; for the test of the balance. */
  int height() {
    return height(root);
  }
}
