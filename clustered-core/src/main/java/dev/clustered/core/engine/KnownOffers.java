// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.Offer;
import java.util.List;
import java.util.Map;

/**
 * What the backends answered when they were asked for offers.
 *
 * @param offers of every backend that answered
 * @param unreachable why each other one did not, by name
 */
record KnownOffers(List<Offer> offers, Map<String, String> unreachable) {

  static final KnownOffers NONE = new KnownOffers(List.of(), Map.of());

  KnownOffers {
    offers = List.copyOf(offers);
  }
}
