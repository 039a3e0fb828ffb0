// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.CapacityException;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.LaunchRequest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The places of one zone: whole launches take them, ended nodes give them back. Places lie in
 * fabrics, and in blocks of each fabric, in the order of their numbers. Thread-safe.
 */
final class LocalZone {

  private final String name;
  private final int size;
  private final int fabricSize;
  private final int blockSize;
  private final BitSet taken = new BitSet();

  LocalZone(String name, LocalSettings settings) {
    this.name = name;
    this.size = settings.nodes();
    this.fabricSize = settings.fabricNodes();
    this.blockSize = settings.blockNodes();
  }

  static List<LocalZone> all(LocalSettings settings) {
    return settings.zones().stream().map(name -> new LocalZone(name, settings)).toList();
  }

  /** One place, until it is given back. */
  record Place(LocalZone zone, int number, TopologyPath topology) {

    void giveBack() {
      zone.giveBack(number);
    }
  }

  String name() {
    return name;
  }

  synchronized int free() {
    return Math.max(0, size - taken.cardinality());
  }

  /**
   * The place of a node that was there before this zone, which may have been larger or laid out
   * otherwise then.
   */
  synchronized Place takeAgain(int number, TopologyPath topology) {
    taken.set(number);
    return new Place(this, number, topology);
  }

  /**
   * As many places as the request has nodes, near one another.
   *
   * @throws CapacityException when there are not as many; none is taken then
   */
  synchronized List<Place> take(LaunchRequest request) {
    int asked = request.nodes().size();
    int fabric = tightestFabric(asked);
    if (fabric >= 0) {
      return take(asked, fabric * fabricSize);
    }
    int most = request.rdma().isPresent() ? mostFreeOnAFabric() : free();
    if (request.rdma().isPresent() || asked > most) {
      throw new CapacityException(name, request.offer().shape().name(), asked, most);
    }
    return take(asked, 0);
  }

  /** Takes the first free places from a number on; there are enough. */
  private List<Place> take(int count, int from) {
    List<Place> places = new ArrayList<>(count);
    int number = from;
    while (places.size() < count) {
      number = taken.nextClearBit(number);
      taken.set(number);
      places.add(new Place(this, number, topology(number)));
    }
    return places;
  }

  private synchronized void giveBack(int number) {
    taken.clear(number);
  }

  /** The fabric that has enough and fewest to spare, so that large gaps stay; -1 when none has. */
  private int tightestFabric(int asked) {
    int tightest = -1;
    for (int fabric = 0; fabric * fabricSize < size; fabric++) {
      int free = freeOnFabric(fabric);
      if (free >= asked && (tightest < 0 || free < freeOnFabric(tightest))) {
        tightest = fabric;
      }
    }
    return tightest;
  }

  private int mostFreeOnAFabric() {
    int most = 0;
    for (int fabric = 0; fabric * fabricSize < size; fabric++) {
      most = Math.max(most, freeOnFabric(fabric));
    }
    return most;
  }

  private int freeOnFabric(int fabric) {
    int first = fabric * fabricSize;
    int end = Math.min(first + fabricSize, size);
    return end - first - taken.get(first, end).cardinality();
  }

  private TopologyPath topology(int number) {
    String fabric = name + "-f" + (number / fabricSize + 1);
    String block = fabric + "-b" + (number % fabricSize / blockSize + 1);
    return TopologyPath.of(
        TopologyPath.ZONE,
        name,
        TopologyPath.FABRIC,
        fabric,
        "block",
        block,
        "host",
        name + "-h" + (number + 1));
  }
}
