// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.core.engine.journal.FactJson;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes facts to the store; what is secret of a specification is sealed with the engine's key. */
final class Journal {

  private static final Logger log = LoggerFactory.getLogger(Journal.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final StateStore store;
  private final long epoch;
  private final FactJson json;
  private final Leadership leadership;

  Journal(StateStore store, long epoch, EngineKey key, Leadership leadership) {
    this.store = store;
    this.epoch = epoch;
    this.json = new FactJson(key);
    this.leadership = leadership;
  }

  /**
   * Returns when all facts are kept; without any, when it is sure that this engine may write. A
   * store that fails is asked again as long as this engine leads: nothing that it decides may be
   * done before.
   *
   * @throws ClusterException with the code {@code ENGINE_DEPOSED}
   */
  void append(List<Fact> facts) {
    List<String> events = facts.stream().map(json::write).toList();
    Duration pause = FIRST_PAUSE;
    while (true) {
      leadership.require();
      try {
        store.append(epoch, events);
        return;
      } catch (ClusterException e) {
        if (e.code() != ErrorCode.STORE_FAILED) {
          throw e;
        }
        log.warn("The journal cannot be written; the engine does nothing until it can", e);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause.toMillis()));
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
  }
}
