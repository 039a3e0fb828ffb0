// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.QueueTree.QueueShare;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The accounts of a tree of queues; nothing is used of them at first. Not thread-safe. */
final class Accounts {

  private final Measure measure;
  private final Account root;
  private final Account ofRoot;
  private final List<Account> all;
  private final Map<String, Account> leaves = new LinkedHashMap<>();

  Accounts(QueueTree tree) {
    measure = new Measure(tree.queues());
    Map<String, List<QueueShare>> inside = new TreeMap<>();
    tree.queues().stream()
        .sorted(Comparator.comparing(QueueShare::name))
        .forEach(q -> inside.computeIfAbsent(q.parent(), p -> new ArrayList<>()).add(q));
    long[] owned = measure.nothing();
    inside.getOrDefault("", List.of()).forEach(q -> measure.add(owned, q.nominal(), 1));
    long[] any = measure.limit(Optional.empty());
    root = new Account("", null, 1, owned, any, any);
    List<Account> parentsFirst = new ArrayList<>(List.of(root));
    for (int i = 0; i < parentsFirst.size(); i++) {
      Account account = parentsFirst.get(i);
      account.number = i;
      List<QueueShare> queues = account.ofItsOwn() ? null : inside.get(account.queue());
      if (queues == null) {
        leaves.put(account.queue(), account);
      } else {
        parentsFirst.addAll(open(account, queues));
      }
    }
    all = List.copyOf(parentsFirst);
    ofRoot = leaves.getOrDefault("", root);
    parentsFirst.reversed().forEach(Account::poolUp);
    parentsFirst.forEach(Account::reachDown);
  }

  /** One account for each queue inside another, and one for what these leave to its own gangs. */
  private List<Account> open(Account parent, List<QueueShare> queues) {
    List<Account> children = new ArrayList<>();
    long[] left = measure.nothing();
    for (int i = 0; i < left.length; i++) {
      left[i] = parent.nominal(i);
    }
    for (QueueShare queue : queues) {
      long[] nominal = measure.of(queue.nominal());
      for (int i = 0; i < left.length; i++) {
        left[i] -= nominal[i];
      }
      children.add(
          new Account(
              queue.name(),
              parent,
              queue.weight(),
              nominal,
              measure.limit(queue.borrowing()),
              measure.limit(queue.lending())));
    }
    long[] any = measure.limit(Optional.empty());
    children.add(new Account(parent.queue(), parent, 1, left, any, any));
    return children;
  }

  Measure measure() {
    return measure;
  }

  Account root() {
    return root;
  }

  /** How many there are; each has a number below that. */
  int size() {
    return all.size();
  }

  /** Nothing is used of them, and nothing has been. */
  void clear() {
    all.forEach(Account::clear);
  }

  /** Where the gangs of a queue are charged; null for a queue that there is not. */
  @Nullable Account find(String queue) {
    return leaves.get(queue);
  }

  /** Where the gangs of a queue are charged; those of a queue that is gone at the root. */
  Account leaf(String queue) {
    return leaves.getOrDefault(queue, ofRoot);
  }

  /** What the gangs of a queue have used, where a unit held always is so much; none of one gone. */
  void addPast(QueueUse use, double full) {
    Account leaf = find(use.queue());
    if (leaf != null) {
      double bytes = use.gibibyteSeconds() * (1L << 30);
      leaf.addPast(use.gpuSeconds() / full, use.cpuSeconds() / full, bytes / full);
    }
  }

  /** The names of all queues but the root, in order. */
  Set<String> names() {
    Set<String> names = new TreeSet<>(leaves.keySet());
    names.remove("");
    return names;
  }
}
