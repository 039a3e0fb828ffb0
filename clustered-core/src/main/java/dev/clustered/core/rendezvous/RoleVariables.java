// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.model.Role;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a rank is told of its role. Stateless and thread-safe. */
final class RoleVariables {

  /** The role of every rank where a specification names none. */
  private static final String ONLY = "worker";

  private RoleVariables() {}

  /** The variables of one rank. */
  static Map<String, String> of(Place place) {
    int first = 0;
    for (Role role : place.roles()) {
      if (place.rank() < first + role.nodes()) {
        return of(role.name(), place.rank() - first, role.nodes());
      }
      first += role.nodes();
    }
    return of(ONLY, place.rank(), place.size());
  }

  private static Map<String, String> of(String name, int rank, int size) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(ContractNames.ROLE, name);
    variables.put(ContractNames.ROLE_RANK, Integer.toString(rank));
    variables.put(ContractNames.ROLE_SIZE, Integer.toString(size));
    return variables;
  }
}
