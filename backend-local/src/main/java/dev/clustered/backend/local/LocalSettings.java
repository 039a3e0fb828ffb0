// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a local backend has. Immutable and thread-safe.
 *
 * @param zones the most nodes at a time, by zone; a node takes one place whatever its shape
 * @param fabrics fabrics in each zone
 * @param blockSize nodes in a block
 * @param shapes what every zone offers
 * @param bootTime how long a launch takes
 * @param agents where agents run
 * @param hourlyPrice price of a node of any shape
 */
record LocalSettings(
    Map<String, Integer> zones,
    int fabrics,
    int blockSize,
    List<Shape> shapes,
    Duration bootTime,
    AgentPlace agents,
    BigDecimal hourlyPrice) {

  static final LocalSettings DEFAULTS =
      new LocalSettings(
          Map.of("local-a", 64),
          1,
          8,
          List.of(
              new Shape("local.cpu", new Resources(0, "", 2, ByteSize.gibibytes(4)), 0, 0),
              new Shape(
                  "local.gpu8", new Resources(8, "LOCAL", 16, ByteSize.gibibytes(64)), 1, 400)),
          Duration.ZERO,
          AgentPlace.IN_PROCESS,
          BigDecimal.ZERO);

  LocalSettings {
    zones = Collections.unmodifiableMap(new LinkedHashMap<>(zones));
    shapes = List.copyOf(shapes);
  }
}
