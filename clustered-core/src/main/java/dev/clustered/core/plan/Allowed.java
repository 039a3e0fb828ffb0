// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Shape;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** In which places of a backend a gang may lie at all. Not thread-safe. */
final class Allowed {

  private final String backend;
  private final List<Shape> shapes;
  private final List<String> levels;
  private Predicate<Site> open;
  private @Nullable Place lastZone;
  private boolean lastOpen;

  /**
   * For one choice of shapes.
   *
   * @param levels of which one domain each holds the whole gang, beside the zone
   * @param open where the gang may go
   */
  Allowed(String backend, List<Shape> shapes, List<String> levels, Predicate<Site> open) {
    this.backend = backend;
    this.shapes = shapes;
    this.levels = levels;
    this.open = open;
  }

  /** The same for another gang, which may go elsewhere. */
  void forAnother(Predicate<Site> mayGo) {
    open = mayGo;
    lastZone = null;
  }

  /** Whether the gang may lie in a place: in one open zone, and in one domain of each level. */
  boolean in(Place place) {
    Place zone = place.zone();
    if (zone == null || !open(zone)) {
      return false;
    }
    for (String level : levels) {
      if (place.around(level).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private boolean open(Place zone) {
    if (!zone.equals(lastZone)) { // Most often there is one, and the question costs something.
      lastZone = zone;
      lastOpen = openForAll(zone);
    }
    return lastOpen;
  }

  private boolean openForAll(Place zone) {
    for (Shape shape : shapes) {
      if (!open.test(new Site(backend, zone.value(), shape.name()))) {
        return false;
      }
    }
    return true;
  }
}
