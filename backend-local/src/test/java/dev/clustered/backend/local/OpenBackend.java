// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A backend with short words for what the tests do with it. */
record OpenBackend(Backend backend) implements AutoCloseable {

  static OpenBackend open(BackendFactory factory, Path directory) {
    return new OpenBackend(
        factory.create(new BackendContext(Map.of(), InstantSource.system(), directory)));
  }

  CapacityProvider capacity() {
    return backend.capacity();
  }

  Offer offer(String shape) {
    return capacity().offers().stream()
        .filter(offer -> offer.shape().name().equals(shape))
        .findFirst()
        .orElseThrow();
  }

  LaunchRequest request(String id, int nodes) {
    return request(id, "local.cpu", nodes, Optional.empty());
  }

  LaunchRequest request(String id, String shape, int nodes, Optional<RdmaOptions> rdma) {
    List<LaunchRequest.Bootstrap> bootstraps =
        IntStream.range(0, nodes)
            .mapToObj(index -> new NodeId(id + "-" + index))
            .map(node -> new LaunchRequest.Bootstrap(node, Bootstraps.document(node)))
            .toList();
    return new LaunchRequest(new LaunchId(id), "owner", offer(shape), bootstraps, rdma);
  }

  List<Instance> launch(String id, int nodes) throws InterruptedException {
    return capacity().launch(request(id, nodes));
  }

  List<Instance> listed() throws InterruptedException {
    return capacity().list("owner");
  }

  void terminate(List<Instance> instances) throws InterruptedException {
    capacity().terminate(instances.stream().map(Instance::id).toList());
  }

  @Override
  public void close() {
    backend.close();
  }
}
