// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.PoolNode;
import dev.clustered.model.Resources;
import dev.clustered.model.TopologyPath;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Everything that is known of one node. Immutable.
 *
 * @param holders what each cluster takes of it
 * @param idleSince since when nobody holds a part of it
 */
public record NodeLife(
    NodeId id,
    LaunchId launch,
    String instance,
    Offer offer,
    TopologyPath topology,
    PoolNode.State state,
    String address,
    List<Holder> holders,
    Optional<Instant> idleSince) {

  /** A cluster's part of a node. */
  public record Holder(ClusterId cluster, Resources resources, List<Integer> gpus) {}

  public NodeLife {
    holders = List.copyOf(holders);
  }

  /** A node that a backend has just granted. */
  public static NodeLife granted(LaunchId launch, Offer offer, Fact.Granted granted) {
    return new NodeLife(
        granted.node(),
        launch,
        granted.instance(),
        offer,
        granted.topology(),
        PoolNode.State.BOOTING,
        "",
        List.of(),
        Optional.empty());
  }

  /** With its agent reporting from an address. */
  public NodeLife joined(String from, Instant at) {
    Optional<Instant> idle = holders.isEmpty() ? Optional.of(at) : Optional.empty();
    return new NodeLife(
        id, launch, instance, offer, topology, PoolNode.State.READY, from, holders, idle);
  }

  /** In another state. */
  public NodeLife inState(PoolNode.State next) {
    return new NodeLife(id, launch, instance, offer, topology, next, address, holders, idleSince);
  }

  /** With a part given to a cluster; a request without resources takes the whole node. */
  public NodeLife held(ClusterId cluster, Optional<Resources> request, List<Integer> gpus) {
    List<Holder> more = new ArrayList<>(holders);
    more.add(new Holder(cluster, request.orElse(offer.shape().resources()), List.copyOf(gpus)));
    return new NodeLife(
        id, launch, instance, offer, topology, state, address, more, Optional.empty());
  }

  /** With a cluster's part given back. */
  public NodeLife releasedBy(ClusterId cluster, Instant at) {
    List<Holder> rest = holders.stream().filter(h -> !h.cluster().equals(cluster)).toList();
    Optional<Instant> idle =
        rest.isEmpty() ? idleSince.or(() -> Optional.of(at)) : Optional.empty();
    return new NodeLife(id, launch, instance, offer, topology, state, address, rest, idle);
  }

  /** Whether a cluster holds a part of it. */
  public boolean heldBy(ClusterId cluster) {
    return holders.stream().anyMatch(holder -> holder.cluster().equals(cluster));
  }

  /** What is not given to any cluster. */
  public Resources free() {
    Resources free = offer.shape().resources();
    for (Holder holder : holders) {
      free = free.minus(holder.resources());
    }
    return free;
  }

  /** The indices of the GPUs that are not given to any cluster. */
  public List<Integer> freeGpus() {
    TreeMap<Integer, Integer> free = new TreeMap<>();
    IntStream.range(0, offer.shape().resources().gpus()).forEach(gpu -> free.put(gpu, gpu));
    holders.forEach(holder -> holder.gpus().forEach(free::remove));
    return List.copyOf(free.keySet());
  }
}
