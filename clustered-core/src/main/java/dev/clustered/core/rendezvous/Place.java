// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.model.ClusterId;
import dev.clustered.model.Role;
import dev.clustered.model.Secret;
import java.util.List;
import java.util.Optional;

/**
 * One rank of one attempt among the others. Immutable and thread-safe.
 *
 * @param attempt the number of the try, 1 or more
 * @param members every rank's node in rank order
 * @param port the port that is kept free on rank 0's address
 * @param secret known to the nodes of this attempt alone
 * @param roles who the ranks are, in rank order; empty when all are there for the same
 */
public record Place(
    ClusterId cluster,
    int attempt,
    int rank,
    List<Member> members,
    int port,
    Optional<Secret> secret,
    List<Role> roles) {

  /** A place where nothing of ours speaks from node to node. */
  public Place(ClusterId cluster, int attempt, int rank, List<Member> members, int port) {
    this(cluster, attempt, rank, members, port, Optional.empty(), List.of());
  }

  public Place {
    members = List.copyOf(members);
    roles = List.copyOf(roles);
    if (attempt < 1) {
      throw new IllegalArgumentException("an attempt is 1 or more; received: " + attempt);
    }
    if (rank < 0 || rank >= members.size()) {
      throw new IllegalArgumentException(
          "a rank of %d members is 0 to %d; received: %d"
              .formatted(members.size(), members.size() - 1, rank));
    }
    Endpoint.requirePort(port);
  }

  int size() {
    return members.size();
  }

  /** The port after the user's, which is kept free where {@link Handing#ports} asks for it. */
  int ownPort() {
    return Endpoint.requirePort(port + 1);
  }

  /** Whether all nodes are on one machine, which loopback addresses alone can tell. */
  boolean oneMachine() {
    return members.stream()
        .map(Member::address)
        .allMatch(address -> address.startsWith("127.") || address.equals("::1"));
  }

  Member own() {
    return members.get(rank);
  }

  /** The address of rank 0. */
  String leader() {
    return members.getFirst().address();
  }

  /** The address and port of rank 0 as one text. */
  String endpoint() {
    return Endpoint.of(leader(), port);
  }
}
