// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Resources;
import java.util.ArrayList;
import java.util.List;

/** What a plan has changed of the nodes, last first, so that a try can be taken back. */
final class Undo {

  private final List<Entry> log = new ArrayList<>();

  private record Entry(Slot slot, Resources left, List<Integer> gpus, int holders) {}

  /** Keeps what a node was before a change. */
  void remember(Slot slot, Resources left, List<Integer> gpus, int holders) {
    log.add(new Entry(slot, left, gpus, holders));
  }

  /** Where the log stands now. */
  int mark() {
    return log.size();
  }

  /** The nodes that were changed since a mark, in order, each as often as it was. */
  List<Slot> since(int mark) {
    return log.subList(mark, log.size()).stream().map(Entry::slot).toList();
  }

  /** Makes everything as it was at a mark. */
  void backTo(int mark) {
    while (log.size() > mark) {
      Entry entry = log.removeLast();
      entry.slot().set(entry.left(), entry.gpus(), entry.holders());
    }
  }
}
