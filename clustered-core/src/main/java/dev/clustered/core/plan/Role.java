// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

/**
 * Ranks of a gang that need the same. A gang of several roles has the ranks of its first role
 * first. Immutable and thread-safe.
 *
 * @param name tells it from the other roles of the gang
 * @param nodes how many ranks at most; 1 or more
 * @param minimum with how many the gang starts if there is no room for more; 1 to {@code nodes}
 * @param need what each rank needs
 * @param layout how the ranks of this role lie, inside what the gang's own layout says of all
 */
public record Role(String name, int nodes, int minimum, Need need, Layout layout) {

  /** The name of the only role of a gang that does not speak of roles. */
  public static final String ONLY = "worker";

  public Role {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "the role " + name + " asks for 1 node or more; received: " + nodes);
    }
    if (minimum < 1 || minimum > nodes) {
      throw new IllegalArgumentException(
          "the role %s of %d nodes has a minimum of 1 to %d; received: %d"
              .formatted(name, nodes, nodes, minimum));
    }
    for (Layout.Block block : layout.blocks()) {
      if (nodes % block.ranks() != 0 || minimum % block.ranks() != 0) {
        throw new IllegalArgumentException(
            "the role %s of %d to %d nodes does not divide into blocks of %d of the level %s"
                .formatted(name, minimum, nodes, block.ranks(), block.level()));
      }
    }
  }

  /** So many ranks of a need, all of them or none, anywhere. */
  public Role(String name, int nodes, Need need) {
    this(name, nodes, nodes, need, Layout.ANY);
  }

  /** The same with fewer ranks allowed. */
  public Role withMinimum(int ranks) {
    return new Role(name, nodes, ranks, need, layout);
  }

  /** The same with another number of ranks, no more and no fewer. */
  public Role withNodes(int ranks) {
    return new Role(name, ranks, ranks, need, layout);
  }

  /** The same when it has got so many ranks: it may still lose those above its minimum. */
  Role sized(int ranks) {
    return ranks == nodes ? this : new Role(name, ranks, minimum, need, layout);
  }

  /** The same with another layout of its own. */
  public Role withLayout(Layout other) {
    return new Role(name, nodes, minimum, need, other);
  }

  /** The same with another need. */
  public Role withNeed(Need other) {
    return new Role(name, nodes, minimum, other, layout);
  }
}
