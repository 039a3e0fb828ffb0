// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * What a gang takes in all, its spares included: what its queue is charged. Immutable and
 * thread-safe.
 */
record Total(List<Part> parts) {

  static final Total NONE = new Total(List.of());

  /** Ranks that take the same. */
  record Part(Resources each, long times) {}

  Total {
    parts = List.copyOf(parts);
  }

  static Total of(Resources all) {
    return new Total(List.of(new Part(all, 1)));
  }

  /** What all ranks of these roles, at their full size, and the spares take of nodes of a shape. */
  static Total of(List<Role> roles, int spares, Shape shape) {
    List<Part> parts = new ArrayList<>();
    for (Role role : roles) {
      parts.add(new Part(takes(role.need(), shape), role.nodes()));
    }
    if (spares > 0) {
      parts.add(new Part(takes(roles.getFirst().need(), shape), spares));
    }
    return new Total(parts);
  }

  /** What a rank takes of a node of a shape, whose GPUs are of a known model. */
  static Resources takes(Need need, Shape shape) {
    return ofModel(need.takes(shape), shape);
  }

  /** The same with the model of the GPUs of a shape, where none is named. */
  static Resources ofModel(Resources part, Shape shape) {
    return part.gpus() == 0 || !part.gpuModel().isEmpty()
        ? part
        : new Resources(part.gpus(), shape.resources().gpuModel(), part.cpus(), part.memory());
  }

  Total plus(Total other) {
    List<Part> all = new ArrayList<>(parts);
    all.addAll(other.parts);
    return new Total(all);
  }
}
