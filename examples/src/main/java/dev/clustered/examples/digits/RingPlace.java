// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;

/**
 * One rank's place in a ring: it sends to the next rank and receives from the previous one.
 * Immutable and thread-safe.
 *
 * @param addresses one address of its own for every rank, in rank order
 * @param port the port each rank listens on at its own address
 */
record RingPlace(int rank, List<InetAddress> addresses, int port) {
  private static final int LOWEST_PORT = 10_000;
  private static final int HIGHEST_PORT = 65_535;

  RingPlace {
    addresses = List.copyOf(addresses);
    if (rank < 0 || rank >= addresses.size()) {
      throw new IllegalArgumentException(
          "cannot join a ring of %d addresses as rank %d: ranks count from 0 to size - 1"
              .formatted(addresses.size(), rank));
    }
    if (new HashSet<>(addresses).size() < addresses.size()) {
      throw new IllegalArgumentException(
          "cannot form a ring over %s: give every rank an address of its own".formatted(addresses));
    }
    if (port < LOWEST_PORT || port > HIGHEST_PORT) {
      throw new IllegalArgumentException(
          "cannot form a ring on port %d: choose one from %d to %d"
              .formatted(port, LOWEST_PORT, HIGHEST_PORT));
    }
  }

  int size() {
    return addresses.size();
  }

  int next() {
    return (rank + 1) % size();
  }

  int previous() {
    return (rank + size() - 1) % size();
  }

  InetAddress address(int rank) {
    return addresses.get(rank);
  }

  InetSocketAddress listening(int rank) {
    return new InetSocketAddress(address(rank), port);
  }

  /** How messages name a rank of this ring. */
  String describe(int rank) {
    return "rank %d at %s:%d".formatted(rank, address(rank).getHostAddress(), port);
  }
}
