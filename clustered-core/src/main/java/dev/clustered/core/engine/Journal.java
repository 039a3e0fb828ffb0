// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.Json;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ClusterSpec;
import dev.clustered.spi.StateStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes facts to the store. Specifications are written without secrets and file contents. */
final class Journal {

  private final StateStore store;
  private final long epoch;

  Journal(StateStore store, long epoch) {
    this.store = store;
    this.epoch = epoch;
  }

  /** Returns when all facts are kept. */
  void append(List<Fact> facts) {
    if (!facts.isEmpty()) {
      store.append(epoch, facts.stream().map(Journal::json).toList());
    }
  }

  private static String json(Fact fact) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("fact", fact.getClass().getSimpleName());
    if (fact instanceof Fact.Submitted submitted) {
      entry.put("cluster", submitted.cluster());
      entry.put("at", submitted.at());
      entry.put("spec", withoutSecrets(submitted.spec()));
      entry.put("rdma", submitted.rdma());
      entry.put("backend", submitted.backend());
      entry.put("readyTimeout", submitted.readyTimeout());
    } else {
      entry.put("value", fact);
    }
    return Json.mapper().writeValueAsString(entry);
  }

  private static Map<String, Object> withoutSecrets(ClusterSpec spec) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("name", spec.name());
    view.put("nodes", spec.nodes());
    view.put("shape", spec.shape());
    view.put("resources", spec.resources());
    view.put("roles", spec.roles());
    view.put("workload", spec.workload());
    view.put("environment", spec.environment());
    view.put("secrets", List.copyOf(spec.secrets().keySet()));
    view.put("files", List.copyOf(spec.files().keySet()));
    view.put("localFiles", spec.localFiles());
    view.put("directory", spec.directory());
    view.put("volumes", spec.volumes());
    view.put("grace", spec.grace());
    view.put("timeLimit", spec.timeLimit());
    return view;
  }
}
