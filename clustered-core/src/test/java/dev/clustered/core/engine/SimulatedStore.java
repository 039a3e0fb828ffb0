// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.core.engine.journal.FactJson;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.testkit.ForwardedStore;
import java.util.List;

/** What is left of an engine when it has crashed: its journal as text. Not thread-safe. */
final class SimulatedStore extends ForwardedStore {

  final EngineKey key = new EngineKey(new byte[EngineKey.BYTES]);
  private final FactJson json = new FactJson(key);
  private int size;

  /** Crashes the engine before or after it writes. */
  Runnable beforeAppend = () -> {};

  Runnable afterAppend = () -> {};

  SimulatedStore() {
    super(new MemoryStore());
  }

  @Override
  public long append(long epoch, List<String> events) {
    if (events.isEmpty()) {
      return super.append(epoch, events);
    }
    beforeAppend.run();
    long last = super.append(epoch, events);
    size += events.size();
    afterAppend.run();
    return last;
  }

  /** All facts from the first. */
  List<Fact> facts() {
    return facts(0);
  }

  /** The facts after so many. */
  List<Fact> facts(int after) {
    return read(after + 1L, Integer.MAX_VALUE).stream()
        .map(entry -> json.read(entry.json()))
        .toList();
  }

  int size() {
    return size;
  }
}
