// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.Preamble;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Reads the contract's own variables. */
final class StaticTorchrun implements Handing {

  static final Preamble PREAMBLE = new Preamble(List.of("torchrun"), Collections.emptyMap());

  @Override
  public Preamble preamble(Place place, Map<String, String> user) {
    return PREAMBLE;
  }
}
