// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.Json;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.InvalidSpecException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All clusters that callers may ask for, by identity and by the keys that callers chose.
 * Thread-safe.
 */
final class ClusterRegister {

  private static final Logger log = LoggerFactory.getLogger(ClusterRegister.class);

  private final Map<ClusterId, ClusterRecord> records = new ConcurrentSkipListMap<>();
  private final Map<String, ClusterId> keys = new ConcurrentSkipListMap<>();
  private final LogStore logs;
  private final boolean keepsLogs;

  /**
   * No clusters.
   *
   * @param keepsLogs whether the logs of a cluster stay when it is forgotten
   */
  ClusterRegister(LogStore logs, boolean keepsLogs) {
    this.logs = logs;
    this.keepsLogs = keepsLogs;
  }

  Optional<ClusterRecord> find(ClusterId id) {
    return Optional.ofNullable(records.get(id));
  }

  /** In the order of their launch. */
  Collection<ClusterRecord> all() {
    return records.values();
  }

  /**
   * Takes a launch in, unless there was one with its key.
   *
   * @return the cluster of the first launch with the key
   * @throws InvalidSpecException when that was launched with another specification
   */
  synchronized ClusterRecord admit(ClusterRecord record, LaunchRequestForm form) {
    Optional<ClusterRecord> first = form.key().map(keys::get).flatMap(this::find);
    if (first.isEmpty()) {
      add(record);
      return record;
    }
    if (!isSame(first.get().life.request().spec(), form.spec())) {
      throw new InvalidSpecException(
          List.of(
              new InvalidSpecException.Problem(
                  "idempotencyKey",
                  "\"%s\" is the key of cluster %s, which was launched with another specification; choose another key for another cluster"
                      .formatted(form.key().orElse(""), first.get().id))));
    }
    first.get().listeners.addAll(form.listeners());
    return first.get();
  }

  /** Knows a cluster. */
  synchronized void add(ClusterRecord record) {
    records.put(record.id, record);
    record.life.request().key().ifPresent(key -> keys.put(key, record.id));
    record.life.request().spec().logLimit().ifPresent(most -> logs.limit(record.id, most));
  }

  private static boolean isSame(ClusterSpec one, ClusterSpec other) {
    return Json.mapper().writeValueAsString(one).equals(Json.mapper().writeValueAsString(other))
        && one.secrets().equals(other.secrets());
  }

  /** A cluster ended so long ago that it is not known any more. */
  synchronized void forget(ClusterRecord record) {
    records.remove(record.id);
    record.life.request().key().ifPresent(key -> keys.remove(key, record.id));
    logs.forget(record.id);
    if (!keepsLogs) {
      try {
        Directories.delete(logs.directory(record.id));
      } catch (IOException e) {
        log.warn("Logs cannot be deleted cluster={}", record.id, e);
      }
    }
  }
}
