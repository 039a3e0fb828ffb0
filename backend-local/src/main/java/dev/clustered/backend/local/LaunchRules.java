// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Offer;
import dev.clustered.model.Shape;
import dev.clustered.spi.LaunchRequest;
import java.util.List;

/** What a launch must be like, whatever is free. */
final class LaunchRules {

  private LaunchRules() {}

  /**
   * The zone that a request asks for.
   *
   * @throws ClusterException when the request can never be granted
   */
  static LocalZone zone(LaunchRequest request, List<LocalZone> zones, List<Shape> shapes) {
    Offer offer = request.offer();
    if (request.nodes().isEmpty()) {
      throw failed(request, "it asks for no node; ask for one or more");
    }
    if (!shapes.contains(offer.shape())) {
      throw failed(request, "there is no shape " + offer.shape() + "; there are: " + shapes);
    }
    requireRate(request);
    return zones.stream()
        .filter(zone -> zone.name().equals(offer.zone()))
        .findFirst()
        .orElseThrow(() -> failed(request, "there is no zone " + offer.zone()));
  }

  private static void requireRate(LaunchRequest request) {
    Offer offer = request.offer();
    int has = offer.shape().rdmaGigabits();
    int wanted = request.rdma().map(options -> options.minimumGigabits()).orElse(0);
    if (wanted > has) {
      throw new ClusterException(
          ErrorCode.FABRIC_UNAVAILABLE,
          "launch %s asks RDMA of %d Gb/s, but nodes of shape %s in zone %s have %d Gb/s (simulated); choose another shape"
              .formatted(request.id(), wanted, offer.shape().name(), offer.zone(), has));
    }
  }

  private static ClusterException failed(LaunchRequest request, String why) {
    return new ClusterException(
        ErrorCode.LAUNCH_FAILED, "backend local cannot launch " + request.id() + ": " + why);
  }
}
