// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Instant;
import java.util.Optional;

/**
 * An instance that carries the label of an engine and that the engine does not hold: what a launch
 * left behind that had failed, or whose answer came to nobody. It is ended as soon as it is found.
 * Immutable and thread-safe.
 *
 * @param backend where it was found
 * @param instance the backend's own identity of it
 * @param node the node that it was launched for
 * @param launch the launch that it belongs to
 * @param foundAt when, by the engine's clock
 * @param endedAt when the backend said that it is gone; empty while it does not
 */
public record Orphan(
    String backend,
    String instance,
    NodeId node,
    LaunchId launch,
    Instant foundAt,
    Optional<Instant> endedAt) {}
