// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.Comparator;

/**
 * Where nodes may be in one gang with RDMA: a site's nodes on one fabric.
 *
 * @param fabric empty for nodes that are on none, and for a whole site
 */
record Domain(Site site, String fabric) implements Comparable<Domain> {

  private static final Comparator<Domain> ORDER =
      Comparator.comparing(Domain::site).thenComparing(Domain::fabric);

  static Domain of(NodeView node) {
    return new Domain(node.site(), node.fabric());
  }

  Domain wholeSite() {
    return new Domain(site, "");
  }

  @Override
  public int compareTo(Domain other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return fabric.isEmpty() ? site.toString() : "fabric " + fabric + " in " + site;
  }
}
