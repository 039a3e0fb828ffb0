// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.Shape;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/**
 * What this machine pretends to be. Immutable and thread-safe.
 *
 * @param zones names of the zones
 * @param nodesPerZone most nodes of a zone at any time, whatever their shape
 * @param nodesPerFabric nodes on one fabric
 * @param nodesPerBlock nodes in one block of a fabric
 * @param shapes machine types that every zone has
 * @param bootTime how long a launch takes
 * @param agents where agents run
 * @param hourlyPrice price of a node for an hour
 */
public record LocalOptions(
    List<String> zones,
    int nodesPerZone,
    int nodesPerFabric,
    int nodesPerBlock,
    List<Shape> shapes,
    Duration bootTime,
    Agents agents,
    BigDecimal hourlyPrice) {

  /** Where agents run. */
  public enum Agents {
    /** In this JVM: fast. */
    IN_PROCESS,
    /** Each in a JVM of its own, so that one can be killed. */
    OWN_JVM
  }

  public LocalOptions {
    zones = List.copyOf(zones);
    shapes = List.copyOf(shapes);
  }
}
