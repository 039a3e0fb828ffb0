// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.LaunchRequest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes nodes again of what an earlier program left. Not thread-safe. */
final class TakenOver {

  private static final Logger LOG = LoggerFactory.getLogger(TakenOver.class);

  private final List<LocalZone> zones;
  private final LocalSettings settings;
  private final Path directory;
  private final LoopbackAddresses addresses;
  private final FoundNodes found;

  TakenOver(
      List<LocalZone> zones,
      LocalSettings settings,
      Path directory,
      LoopbackAddresses addresses,
      FoundNodes found) {
    this.zones = zones;
    this.settings = settings;
    this.directory = directory;
    this.addresses = addresses;
    this.found = found;
  }

  /** Every launch of which a node lives, with all its nodes in its order, the ended ones ended. */
  Map<LaunchId, List<LocalNode>> launches(BiConsumer<LocalNode, String> onLoss) {
    Map<NodeId, LocalNode> living = new LinkedHashMap<>();
    found.running().forEach(host -> living.put(host.record().node(), node(host, onLoss)));
    Map<LaunchId, List<LocalNode>> launches = new LinkedHashMap<>();
    for (OutlivingHost host : found.running()) {
      NodeRecord record = host.record();
      launches.computeIfAbsent(record.launch(), launch -> whole(record, living));
    }
    return launches;
  }

  private List<LocalNode> whole(NodeRecord sample, Map<NodeId, LocalNode> living) {
    return sample.launched().stream()
        .map(node -> Optional.ofNullable(living.get(node)).orElseGet(() -> ended(sample, node)))
        .toList();
  }

  private LocalNode node(OutlivingHost host, BiConsumer<LocalNode, String> onLoss) {
    NodeRecord record = host.record();
    LocalZone.Place place = zone(record.zone()).takeAgain(record.place(), record.topology());
    LocalNode node = node(record.id(), record, record.node(), place);
    Optional<LoopbackAddresses.Held> held = addresses.hold(record.address());
    if (held.isEmpty()) {
      LOG.warn(
          "Another program took an address while nobody held it node={} address={}",
          record.node(),
          record.address());
    }
    node.takeOver(host, held, record, onLoss);
    return node;
  }

  /** Of one that is gone with its record, only the launch is known. */
  private LocalNode ended(NodeRecord sample, NodeId id) {
    TopologyPath topology = TopologyPath.of(TopologyPath.ZONE, sample.zone());
    LocalZone.Place nowhere = new LocalZone(sample.zone(), settings).takeAgain(0, topology);
    LocalNode node = node("local-ended-" + id, sample, id, nowhere);
    node.leave();
    return node;
  }

  private LocalNode node(String id, NodeRecord record, NodeId node, LocalZone.Place place) {
    LaunchRequest.Bootstrap bootstrap = new LaunchRequest.Bootstrap(node, "");
    LaunchRequest request =
        new LaunchRequest(
            record.launch(), record.owner(), record.offer(), List.of(bootstrap), Optional.empty());
    return new LocalNode(id, request, bootstrap, place, directory.resolve(node.value()));
  }

  /** A zone that the settings have no more still has its old nodes. */
  private LocalZone zone(String name) {
    return zones.stream()
        .filter(zone -> zone.name().equals(name))
        .findFirst()
        .orElseGet(() -> new LocalZone(name, settings));
  }
}
