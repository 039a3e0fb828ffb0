// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** A backend that a contract opened, with short words for what contracts do with it. */
record TestedBackend(Backend backend, Function<NodeId, String> documents) implements AutoCloseable {

  static TestedBackend open(
      BackendFactory factory,
      Map<String, String> settings,
      Path directory,
      Function<NodeId, String> documents) {
    return new TestedBackend(factory.create(context(factory, settings, directory)), documents);
  }

  /** What the engine would give: these settings, and the default of every other. */
  static BackendContext context(
      BackendFactory factory, Map<String, String> settings, Path directory) {
    Map<String, String> all = new LinkedHashMap<>();
    factory.settings().forEach(setting -> all.put(setting.key(), setting.defaultValue()));
    all.putAll(settings);
    return new BackendContext(all, InstantSource.system(), directory);
  }

  CapacityProvider capacity() {
    return backend.capacity();
  }

  boolean hasRdma() {
    Set<Feature> features = backend.features();
    return features.contains(Feature.RDMA) || features.contains(Feature.SIMULATED_RDMA);
  }

  /** The offer with the fewest nodes that can hold so many. */
  Offer offerFor(int nodes) {
    return capacity().offers().stream()
        .filter(offer -> offer.available() >= nodes)
        .min(java.util.Comparator.comparingInt(Offer::available))
        .orElseThrow(
            () ->
                new AssertionError(
                    "the contract needs an offer of %d nodes; there are: %s"
                        .formatted(nodes, capacity().offers())));
  }

  LaunchRequest request(String id, Offer offer, int nodes) {
    return request(id, "owner-a", offer, nodes, Optional.empty());
  }

  LaunchRequest request(
      String id, String owner, Offer offer, int nodes, Optional<RdmaOptions> rdma) {
    List<LaunchRequest.Bootstrap> bootstraps = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      NodeId node = new NodeId(id + "-" + i);
      bootstraps.add(new LaunchRequest.Bootstrap(node, documents.apply(node)));
    }
    return new LaunchRequest(new LaunchId(id), owner, offer, bootstraps, rdma);
  }

  /** Every instance of the owner that has not ended. */
  List<Instance> alive(String owner) throws InterruptedException {
    return capacity().list(owner).stream()
        .filter(instance -> instance.state() != Instance.State.ENDED)
        .toList();
  }

  void terminate(List<Instance> instances) throws InterruptedException {
    capacity().terminate(ids(instances));
  }

  static List<String> ids(List<Instance> instances) {
    return instances.stream().map(Instance::id).toList();
  }

  @Override
  public void close() {
    backend.close();
  }
}
