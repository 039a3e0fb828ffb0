// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How a gang wants to lie in the topology. Immutable and thread-safe.
 *
 * @param required the level of which one domain must hold the whole gang; a node that does not
 *     report the level does not suit
 * @param blocks outermost first: so many consecutive ranks each lie in one domain of the level
 */
public record Layout(Optional<String> required, List<Block> blocks) {

  /** Anywhere in a zone, as near together as there is room. */
  public static final Layout ANY = new Layout(Optional.empty(), List.of());

  /**
   * Consecutive ranks that lie together, such as those of one NVLink domain.
   *
   * @param level the level of whose domains one holds them
   * @param ranks how many; 1 or more
   */
  public record Block(String level, int ranks) {
    public Block {
      if (ranks < 1) {
        throw new IllegalArgumentException(
            "a block of level " + level + " has 1 rank or more; received: " + ranks);
      }
    }
  }

  public Layout {
    blocks = List.copyOf(blocks);
    Set<String> levels = new TreeSet<>();
    Optional<Block> outer = Optional.empty();
    for (Block block : blocks) {
      if (!levels.add(block.level())) {
        throw new IllegalArgumentException("blocks of the level " + block.level() + " stand twice");
      }
      if (outer.filter(around -> around.ranks() % block.ranks() != 0).isPresent()) {
        throw new IllegalArgumentException(
            "a block of %d ranks does not divide into blocks of %d of the level %s"
                .formatted(outer.get().ranks(), block.ranks(), block.level()));
      }
      outer = Optional.of(block);
    }
  }

  /** How many of a gang's ranks must lie in one domain. */
  int together(int nodes) {
    return required.isPresent() || blocks.isEmpty() ? nodes : blocks.getFirst().ranks();
  }

  /** The level of that domain; empty for a layout that asks for none. */
  String level() {
    return required.orElse(blocks.isEmpty() ? "" : blocks.getFirst().level());
  }

  /** The same with a domain that must hold the whole gang. */
  public Layout withRequired(String level) {
    return new Layout(Optional.of(level), blocks);
  }

  /** The same with blocks inside those that there are. */
  public Layout withBlocks(String level, int ranks) {
    List<Block> more = new ArrayList<>(blocks);
    more.add(new Block(level, ranks));
    return new Layout(required, more);
  }
}
