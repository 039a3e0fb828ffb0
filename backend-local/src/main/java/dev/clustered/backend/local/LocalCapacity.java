// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.CapacityException;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.Offer;
import dev.clustered.model.Shape;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.spi.LaunchRequest.Bootstrap;
import dev.clustered.spi.Notice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Launches, lists and ends the nodes of this machine. */
final class LocalCapacity implements CapacityProvider, AutoCloseable {

  private final LocalOptions options;
  private final NodeHosts hosts;
  private final Map<String, Zone> zones = new TreeMap<>();
  private final Map<String, LocalNode> nodes = new TreeMap<>();
  private final Map<LaunchId, List<Instance>> answers = new TreeMap<>();
  private final Map<LaunchId, CountDownLatch> underWay = new TreeMap<>();
  private final TreeSet<String> noticed = new TreeSet<>();
  private boolean closed;

  LocalCapacity(LocalOptions options, NodeHosts hosts) {
    this.options = options;
    this.hosts = hosts;
    options.zones().forEach(zone -> zones.put(zone, new Zone(zone, options)));
  }

  @Override
  public synchronized List<Offer> offers() {
    List<Offer> offers = new ArrayList<>();
    zones.forEach(
        (zone, slots) -> options.shapes().forEach(shape -> offers.add(offer(zone, shape, slots))));
    return offers;
  }

  /** A shape with RDMA is offered as far as one fabric has it: a gang there needs one fabric. */
  private Offer offer(String zone, Shape shape, Zone slots) {
    int available = shape.rdma() ? slots.freeOnBestFabric() : slots.free();
    return new Offer(
        LocalBackend.NAME,
        shape,
        zone,
        Market.ON_DEMAND,
        options.hourlyPrice(),
        options.bootTime(),
        available);
  }

  @Override
  public List<Instance> launch(LaunchRequest request) throws InterruptedException {
    while (true) {
      CountDownLatch other;
      synchronized (this) {
        List<Instance> answer = answers.get(request.id());
        if (answer != null) {
          return answer;
        }
        other = underWay.get(request.id());
        if (other == null) {
          underWay.put(request.id(), new CountDownLatch(1));
        }
      }
      if (other == null) {
        return launchOnce(request);
      }
      other.await();
    }
  }

  private List<Instance> launchOnce(LaunchRequest request) throws InterruptedException {
    List<Integer> slots = List.of();
    try {
      slots = reserve(request);
      TimeUnit.NANOSECONDS.sleep(options.bootTime().toNanos());
      List<Instance> answer = start(request, slots);
      slots = List.of();
      return answer;
    } finally {
      abandon(request, slots);
    }
  }

  private synchronized List<Integer> reserve(LaunchRequest request) {
    if (closed) {
      throw new ClusterException(ErrorCode.LAUNCH_FAILED, "the backend \"local\" is closed");
    }
    String name = request.offer().zone();
    Zone zone = zones.get(name);
    boolean known = options.shapes().contains(request.offer().shape());
    if (zone == null || !known || (request.rdma().isPresent() && !request.offer().shape().rdma())) {
      throw new ClusterException(
          ErrorCode.LAUNCH_FAILED,
          "the backend \"local\" has no %s in zone %s%s; it has zones %s"
              .formatted(
                  request.offer().shape().name(),
                  name,
                  request.rdma().isPresent() ? " with RDMA" : "",
                  String.join(", ", options.zones())));
    }
    int count = request.nodes().size();
    int free = request.rdma().isPresent() ? zone.freeOnBestFabric() : zone.free();
    var slots = request.rdma().isPresent() ? zone.takeOnOneFabric(count) : zone.take(count);
    return slots.orElseThrow(
        () -> new CapacityException(name, request.offer().shape().name(), count, free));
  }

  private List<Instance> start(LaunchRequest request, List<Integer> slots) {
    List<LocalNode> started = new ArrayList<>();
    try {
      for (Bootstrap bootstrap : request.nodes()) {
        started.add(start(request, bootstrap, slots.get(started.size())));
      }
      return keep(request, started);
    } catch (RuntimeException e) {
      started.forEach(LocalNode::end);
      throw e;
    }
  }

  private LocalNode start(LaunchRequest request, Bootstrap bootstrap, int slot) {
    String zone = request.offer().zone();
    int start = (int) ProcessHandle.current().pid() * 67 + zone.hashCode() * 31 + slot;
    LoopbackAddress address = LoopbackAddress.take(start);
    try {
      NodeHosts.Host host = hosts.start(bootstrap.document(), address.literal());
      return new LocalNode(
          slot,
          request.owner(),
          request.id(),
          request.offer(),
          bootstrap,
          topology(zone, slot),
          address,
          host);
    } catch (RuntimeException e) {
      address.close();
      throw e;
    }
  }

  private synchronized dev.clustered.model.TopologyPath topology(String zone, int slot) {
    return zones.getOrDefault(zone, new Zone(zone, options)).topology(slot);
  }

  private synchronized List<Instance> keep(LaunchRequest request, List<LocalNode> started) {
    if (closed || Thread.currentThread().isInterrupted()) {
      throw new ClusterException(ErrorCode.LAUNCH_FAILED, "the launch was given up");
    }
    started.forEach(node -> nodes.put(node.id(), node));
    List<Instance> answer = started.stream().map(LocalNode::instance).toList();
    answers.put(request.id(), answer);
    return answer;
  }

  private synchronized void abandon(LaunchRequest request, List<Integer> slots) {
    Zone zone = zones.get(request.offer().zone());
    if (zone != null) {
      slots.forEach(zone::giveBack);
    }
    CountDownLatch latch = underWay.remove(request.id());
    if (latch != null) {
      latch.countDown();
    }
  }

  @Override
  public synchronized List<Instance> list(String owner) {
    return nodes.values().stream()
        .filter(node -> node.owner().equals(owner))
        .map(LocalNode::instance)
        .toList();
  }

  @Override
  public void terminate(Collection<String> instanceIds) throws InterruptedException {
    List<Thread> ending = new ArrayList<>();
    for (String id : instanceIds) {
      ending.add(Thread.ofVirtual().name("clustered-local-end").start(() -> end(id)));
    }
    for (Thread thread : ending) {
      thread.join();
    }
  }

  private void end(String id) {
    LocalNode node;
    synchronized (this) {
      node = nodes.get(id);
    }
    if (node != null) {
      node.end();
      forget(node);
    }
  }

  private synchronized void forget(LocalNode node) {
    Zone zone = zones.get(node.offer().zone());
    if (nodes.remove(node.id()) != null && zone != null) {
      zone.giveBack(node.slot());
      noticed.remove(node.id());
    }
  }

  /** Agents that ended although nobody asked for it. */
  @Override
  public synchronized List<Notice> notices() {
    return nodes.values().stream()
        .filter(node -> !node.host().alive() && noticed.add(node.id()))
        .map(
            node ->
                new Notice(
                    node.bootstrap().node(), Notice.Kind.ENDED, "its agent ended on its own"))
        .toList();
  }

  @Override
  public void close() {
    List<String> left;
    synchronized (this) {
      closed = true;
      left = List.copyOf(nodes.keySet());
    }
    left.forEach(this::end);
    hosts.close();
  }
}
