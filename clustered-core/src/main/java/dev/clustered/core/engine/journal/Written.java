// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.journal;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.spi.StateStore;
import java.util.ArrayList;
import java.util.List;

/** What an engine before this one has written into a store. Stateless. */
public final class Written {

  private static final int AT_ONCE = 10_000;

  private Written() {}

  /** Whether there is anything. */
  public static boolean isAny(StateStore store) {
    return store.snapshot().isPresent() || !store.read(1, 1).isEmpty();
  }

  /**
   * All facts, in their order.
   *
   * @throws IllegalArgumentException when an entry is no fact, or sealed with another key
   */
  public static List<Fact> read(StateStore store, FactJson json) {
    List<Fact> facts = new ArrayList<>();
    long from = 1;
    while (true) {
      List<StateStore.Entry> entries = store.read(from, AT_ONCE);
      if (entries.isEmpty()) {
        return facts;
      }
      entries.forEach(entry -> facts.add(json.read(entry.json())));
      from = entries.getLast().position() + 1;
    }
  }
}
