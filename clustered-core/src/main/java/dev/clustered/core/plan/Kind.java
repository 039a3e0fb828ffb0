// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a plan finds no nodes for twice in the same way. Equal ones are asked about again and again,
 * so the hash is counted once. Immutable and thread-safe.
 */
final class Kind {

  private final List<Role> roles;
  private final Layout layout;
  private final int spares;
  private final List<List<Role>> alternatives;
  private final List<ClusterId> lifted;
  private final int hash;

  private Kind(
      List<Role> roles,
      Layout layout,
      int spares,
      List<List<Role>> alternatives,
      List<ClusterId> lifted) {
    this.roles = roles;
    this.layout = layout;
    this.spares = spares;
    this.alternatives = alternatives;
    this.lifted = lifted;
    this.hash = Objects.hash(roles, layout, spares, alternatives, lifted);
  }

  static Kind of(GangRequest gang) {
    return new Kind(gang.roles(), gang.layout(), gang.spares(), gang.alternatives(), List.of());
  }

  /** The same for a gang that may use what is kept for others, since it ends before. */
  Kind lifting(List<ClusterId> keptFor) {
    return keptFor.equals(lifted)
        ? this
        : new Kind(roles, layout, spares, alternatives, List.copyOf(keptFor));
  }

  /** The same of any size, where the size alone tells more from less; else itself. */
  Kind anySize() {
    Role role = roles.getFirst();
    boolean plain =
        roles.size() == 1
            && alternatives.isEmpty()
            && role.layout().equals(Layout.ANY)
            && role.minimum() == role.nodes();
    return plain
        ? new Kind(List.of(role.withNodes(1)), layout, spares, alternatives, lifted)
        : this;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Kind kind
            && hash == kind.hash
            && spares == kind.spares
            && roles.equals(kind.roles)
            && layout.equals(kind.layout)
            && alternatives.equals(kind.alternatives)
            && lifted.equals(kind.lifted));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "%s, %s, %d spares, or %s, lifting %s"
        .formatted(roles, layout, spares, alternatives, lifted);
  }
}
