// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The nodes that have not ended, in the order of their launch. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // the future returned is of no interest
final class LocalNodes {

  private final Map<String, LocalNode> nodes = new LinkedHashMap<>();
  private boolean closed;

  /** Adds nodes, each of which leaves by itself when it has ended. */
  synchronized void add(List<LocalNode> added) {
    if (closed) {
      throw closed();
    }
    for (LocalNode node : added) {
      nodes.put(node.id(), node);
      node.ended().thenRun(() -> remove(node));
    }
  }

  static ClusterException closed() {
    return new ClusterException(
        ErrorCode.ENGINE_CLOSED, "backend local is closed and launches no more nodes");
  }

  private synchronized void remove(LocalNode node) {
    nodes.remove(node.id());
  }

  synchronized List<LocalNode> all() {
    return List.copyOf(nodes.values());
  }

  /** Those of the ids that have not ended. */
  synchronized List<LocalNode> named(Collection<String> ids) {
    return ids.stream().distinct().map(nodes::get).filter(Objects::nonNull).toList();
  }

  /** Takes no more nodes from now on. */
  synchronized void close() {
    closed = true;
  }
}
