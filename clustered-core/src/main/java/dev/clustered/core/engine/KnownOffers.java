// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

  /** The backends that did not answer and might have a place, for a launch that may be bound. */
  List<WaitReason> unheard(Optional<String> bound) {
    List<WaitReason> unheard = new ArrayList<>();
    unreachable.forEach(
        (backend, failure) -> {
          if (bound.isEmpty() || bound.get().equals(backend)) {
            unheard.add(new WaitReason.BackendUnreachable(backend, failure));
          }
        });
    return unheard;
  }
}
