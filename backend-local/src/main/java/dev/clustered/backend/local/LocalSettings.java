// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a local backend has. Immutable and thread-safe.
 *
 * @param zones names of the zones
 * @param nodes the most nodes in a zone at a time, whatever their shapes
 * @param fabricNodes how many neighbouring nodes of a zone share a fabric
 * @param blockNodes how many neighbouring nodes of a fabric make a block
 * @param shapes what every zone offers
 * @param bootTime how long a launch takes
 * @param agents where agents run
 * @param directory where the nodes of outliving agents lie, absolute
 * @param hourlyPrice price of a node of any shape
 */
record LocalSettings(
    List<String> zones,
    int nodes,
    int fabricNodes,
    int blockNodes,
    List<Shape> shapes,
    Duration bootTime,
    AgentPlace agents,
    Optional<Path> directory,
    BigDecimal hourlyPrice) {

  static final LocalSettings DEFAULTS =
      new LocalSettings(
          List.of("local-a"),
          64,
          64,
          8,
          List.of(
              new Shape("local.cpu", new Resources(0, "", 2, ByteSize.gibibytes(4)), 0, 0),
              new Shape(
                  "local.gpu8", new Resources(8, "LOCAL", 16, ByteSize.gibibytes(64)), 1, 400)),
          Duration.ZERO,
          AgentPlace.IN_PROCESS,
          Optional.empty(),
          BigDecimal.ZERO);

  LocalSettings {
    zones = List.copyOf(zones);
    shapes = List.copyOf(shapes);
  }
}
