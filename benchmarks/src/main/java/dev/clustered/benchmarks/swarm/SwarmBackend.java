// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.swarm;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Offer;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.Backend;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has its agents in one other JVM for each launch. Thread-safe. */
final class SwarmBackend implements Backend, CapacityProvider {

  private final Offer offer;
  private final Path directory;
  private final Map<String, Instance> instances = new LinkedHashMap<>();
  private final List<SwarmProcess> processes = new ArrayList<>();

  SwarmBackend(Offer offer, Path directory) {
    this.offer = offer;
    this.directory = directory;
  }

  @Override
  public Set<Feature> features() {
    return EnumSet.noneOf(Feature.class);
  }

  @Override
  public CapacityProvider capacity() {
    return this;
  }

  @Override
  public List<Offer> offers() {
    return List.of(offer);
  }

  @Override
  public synchronized List<Instance> launch(LaunchRequest request) {
    List<Instance> launched = new ArrayList<>();
    List<SwarmProcess.Member> members = new ArrayList<>();
    for (LaunchRequest.Bootstrap bootstrap : request.nodes()) {
      int number = instances.size() + launched.size() + 1;
      String address = "127.1.%d.%d".formatted(number / 250, number % 250 + 1);
      members.add(new SwarmProcess.Member(address, bootstrap.document()));
      launched.add(instance(request, bootstrap, "agent-" + number, address));
    }
    try {
      processes.add(SwarmProcess.start(directory, members));
    } catch (IOException e) {
      throw new ClusterException(ErrorCode.LAUNCH_FAILED, "the swarm cannot start: " + e, e);
    }
    launched.forEach(instance -> instances.put(instance.id(), instance));
    return launched;
  }

  private Instance instance(
      LaunchRequest request, LaunchRequest.Bootstrap bootstrap, String id, String address) {
    return new Instance(
        id,
        bootstrap.node(),
        request.id(),
        request.owner(),
        request.offer(),
        TopologyPath.of(TopologyPath.ZONE, offer.zone()),
        List.of(address),
        Instance.State.RUNNING);
  }

  @Override
  public synchronized List<Instance> list(String owner) {
    return instances.values().stream().filter(known -> known.owner().equals(owner)).toList();
  }

  /** Ends the agents when the last one is given back: they share a JVM. */
  @Override
  public synchronized void terminate(Collection<String> instanceIds) {
    instanceIds.forEach(instances::remove);
    if (instances.isEmpty()) {
      close();
    }
  }

  @Override
  public synchronized void close() {
    processes.forEach(SwarmProcess::close);
    processes.clear();
  }
}
