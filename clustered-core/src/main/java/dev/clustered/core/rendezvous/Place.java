// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.model.ClusterId;
import java.util.List;

/**
 * One rank of one attempt among the others. Immutable and thread-safe.
 *
 * @param attempt the number of the try, 1 or more
 * @param members every rank's node in rank order
 * @param port the port that is kept free on rank 0's address
 */
public record Place(ClusterId cluster, int attempt, int rank, List<Member> members, int port) {

  public Place {
    members = List.copyOf(members);
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
