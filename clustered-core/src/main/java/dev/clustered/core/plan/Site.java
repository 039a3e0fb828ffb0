// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Offer;
import java.util.Comparator;

/** Where nodes may be in one gang without RDMA: one backend, zone and shape. */
record Site(String backend, String zone, String shape) implements Comparable<Site> {

  private static final Comparator<Site> ORDER =
      Comparator.comparing(Site::backend).thenComparing(Site::zone).thenComparing(Site::shape);

  static Site of(Offer offer) {
    return new Site(offer.backend(), offer.zone(), offer.shape().name());
  }

  Zone inZone() {
    return new Zone(backend, zone);
  }

  @Override
  public int compareTo(Site other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "zone %s of %s with shape %s".formatted(zone, backend, shape);
  }

  /** What shares a limit: all that a backend has in a zone. */
  record Zone(String backend, String name) implements Comparable<Zone> {

    private static final Comparator<Zone> ORDER =
        Comparator.comparing(Zone::backend).thenComparing(Zone::name);

    @Override
    public int compareTo(Zone other) {
      return ORDER.compare(this, other);
    }
  }
}
