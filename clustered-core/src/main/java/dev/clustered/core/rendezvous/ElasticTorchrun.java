// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.Preamble;
import java.util.LinkedHashMap;
import java.util.Map;

/** Meets by a c10d rendezvous; restarts are the engine's, so an attempt has a name of its own. */
final class ElasticTorchrun implements Handing {

  @Override
  public Map<String, String> variables(Place place, Map<String, String> user) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("PET_RDZV_BACKEND", "c10d");
    variables.put("PET_RDZV_ENDPOINT", place.endpoint());
    variables.put("PET_RDZV_ID", place.cluster() + "-" + place.attempt());
    // Torch would guess it from names and addresses, and takes every loopback address for its own.
    variables.put("PET_RDZV_CONF", "is_host=" + (place.rank() == 0));
    variables.put("PET_MAX_RESTARTS", "0");
    variables.put("PET_LOCAL_ADDR", place.own().address());
    return variables;
  }

  @Override
  public Preamble preamble(Place place, Map<String, String> user) {
    return StaticTorchrun.PREAMBLE;
  }
}
