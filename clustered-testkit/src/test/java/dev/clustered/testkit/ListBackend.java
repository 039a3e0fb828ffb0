// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.ByteSize;
import dev.clustered.model.CapacityException;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Market;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.Backend;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A backend whose instances are entries of a list; one of its flaws may be asked for. */
final class ListBackend implements Backend, CapacityProvider {

  /** What it does wrong. */
  enum Flaw {
    NONE,
    GRANTS_TOO_MUCH,
    GRANTS_A_PART,
    FORGETS_LAUNCHES,
    IGNORES_RDMA,
    LISTS_OTHERS,
    ENDS_LATE
  }

  private static final int LIMIT = 4;
  private static final Shape PLAIN = shape("plain", 0);
  private static final Shape FAST = shape("fast", 400);

  private final Flaw flaw;
  private final Map<String, Instance> instances = new LinkedHashMap<>();
  private final Map<String, List<String>> launches = new LinkedHashMap<>();

  ListBackend(Flaw flaw) {
    this.flaw = flaw;
  }

  private static Shape shape(String name, int gigabits) {
    return new Shape(name, new Resources(0, "", 4, ByteSize.gibibytes(16)), 1, gigabits);
  }

  @Override
  public Set<Feature> features() {
    return Set.of(Feature.SIMULATED_RDMA);
  }

  @Override
  public CapacityProvider capacity() {
    return this;
  }

  @Override
  public synchronized List<Offer> offers() {
    int free = LIMIT - alive();
    return List.of(offer(PLAIN, free), offer(FAST, free));
  }

  private static Offer offer(Shape shape, int free) {
    return new Offer("list", shape, "a", Market.ON_DEMAND, BigDecimal.ONE, Duration.ZERO, free);
  }

  @Override
  public synchronized List<Instance> launch(LaunchRequest request) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("before the launch " + request.id());
    }
    List<String> known = launches.get(request.id().value());
    if (known != null && flaw != Flaw.FORGETS_LAUNCHES) {
      return known.stream().map(instances::get).toList();
    }
    checkRdma(request);
    int asked = request.nodes().size();
    int free = LIMIT - alive();
    if (asked > free && flaw == Flaw.GRANTS_A_PART) {
      grant(request, free);
    }
    if (asked > free && flaw != Flaw.GRANTS_TOO_MUCH) {
      throw new CapacityException("a", request.offer().shape().name(), asked, free);
    }
    return grant(request, asked);
  }

  private void checkRdma(LaunchRequest request) {
    int gigabits = request.offer().shape().rdmaGigabits();
    boolean enough = request.rdma().map(r -> r.minimumGigabits() <= gigabits).orElse(true);
    if (!enough && flaw != Flaw.IGNORES_RDMA) {
      throw new ClusterException(
          ErrorCode.FABRIC_UNAVAILABLE, "no RDMA of that rate in zone a: it has " + gigabits);
    }
  }

  private List<Instance> grant(LaunchRequest request, int nodes) {
    List<Instance> granted = new ArrayList<>();
    for (LaunchRequest.Bootstrap bootstrap : request.nodes().subList(0, nodes)) {
      granted.add(
          new Instance(
              "i-" + instances.size(),
              bootstrap.node(),
              request.id(),
              request.owner(),
              request.offer(),
              TopologyPath.of("zone", "a", "fabric", "f"),
              List.of("127.0.0.1"),
              Instance.State.RUNNING));
      instances.put(granted.getLast().id(), granted.getLast());
    }
    launches.put(request.id().value(), granted.stream().map(Instance::id).toList());
    return granted;
  }

  @Override
  public synchronized List<Instance> list(String owner) {
    return instances.values().stream()
        .filter(i -> flaw == Flaw.LISTS_OTHERS || i.owner().equals(owner))
        .toList();
  }

  @Override
  public synchronized void terminate(Collection<String> instanceIds) {
    for (String id : instanceIds) {
      Instance.State state = flaw == Flaw.ENDS_LATE ? Instance.State.ENDING : Instance.State.ENDED;
      instances.computeIfPresent(id, (key, instance) -> in(instance, state));
    }
  }

  private static Instance in(Instance old, Instance.State state) {
    return new Instance(
        old.id(),
        old.node(),
        old.launch(),
        old.owner(),
        old.offer(),
        old.topology(),
        old.addresses(),
        state);
  }

  private int alive() {
    return (int) instances.values().stream().filter(i -> i.state() != Instance.State.ENDED).count();
  }

  @Override
  public synchronized void close() {
    instances.clear();
  }
}
