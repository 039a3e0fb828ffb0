// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import java.util.LinkedHashMap;
import java.util.Map;

/** One process on each node, which has all GPUs of its rank. */
final class Jax implements Handing {

  @Override
  public Map<String, String> variables(Place place, Map<String, String> user) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("JAX_COORDINATOR_ADDRESS", place.endpoint());
    variables.put("JAX_NUM_PROCESSES", Integer.toString(place.size()));
    variables.put("JAX_PROCESS_ID", Integer.toString(place.rank()));
    return variables;
  }
}
