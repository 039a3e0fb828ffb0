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
 * @param preferred the level of which one domain should hold it, if one can; else as few as
 *     possible
 * @param blocks outermost first: so many consecutive ranks each lie in one domain of the level
 * @param spread how the ranks are kept apart
 */
public record Layout(
    Optional<String> required,
    Optional<String> preferred,
    List<Block> blocks,
    Optional<Spread> spread) {

  /** Anywhere in a zone, as near together as there is room. */
  public static final Layout ANY =
      new Layout(Optional.empty(), Optional.empty(), List.of(), Optional.empty());

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

  /**
   * Ranks that lie apart.
   *
   * @param level the level of whose domains each holds a part of them
   * @param most how many ranks one domain holds at most; 1 or more
   * @param even whether each domain that holds any holds as many as the others, but for one
   */
  public record Spread(String level, int most, boolean even) {
    public Spread {
      if (most < 1) {
        throw new IllegalArgumentException(
            "a domain of level " + level + " holds 1 rank or more; received: " + most);
      }
    }
  }

  public Layout {
    blocks = List.copyOf(blocks);
    if (required.or(() -> preferred).filter(String::isBlank).isPresent()
        || preferred.filter(String::isBlank).isPresent()) {
      throw new IllegalArgumentException(
          "a level has a name; received: required %s, preferred %s".formatted(required, preferred));
    }
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
    if (spread.isPresent() && !blocks.isEmpty()) {
      throw new IllegalArgumentException(
          "ranks lie together in blocks or apart, not both; received: %s and %s"
              .formatted(blocks, spread.get()));
    }
  }

  /** The levels without which a node does not suit. */
  List<String> levels() {
    List<String> levels = new ArrayList<>(required.stream().toList());
    blocks.forEach(block -> levels.add(block.level()));
    spread.ifPresent(apart -> levels.add(apart.level()));
    return levels;
  }

  /** What it asks for, for people. */
  List<String> inWords() {
    List<String> words = new ArrayList<>();
    required.ifPresent(level -> words.add("all in one " + level));
    blocks.forEach(b -> words.add("each %d in one %s".formatted(b.ranks(), b.level())));
    spread.ifPresent(
        apart ->
            words.add(
                apart.even()
                    ? "as many in each " + apart.level() + " as in the others"
                    : "no more than %d in one %s".formatted(apart.most(), apart.level())));
    return words;
  }

  /** How many of a gang's ranks one domain must hold, or may at most hold when they lie apart. */
  int together(int nodes) {
    if (required.isPresent()) {
      return nodes;
    }
    return blocks.isEmpty()
        ? spread.map(apart -> Math.min(apart.most(), nodes)).orElse(nodes)
        : blocks.getFirst().ranks();
  }

  /** The level of that domain; empty for a layout that asks for none. */
  String level() {
    return required
        .or(() -> blocks.stream().map(Block::level).findFirst())
        .or(() -> spread.map(Spread::level))
        .orElse("");
  }

  /** How ranks lie that have a layout of their own inside this one. */
  Layout with(Layout own) {
    Layout whole = around(own);
    return new Layout(
        own.required().or(() -> required), whole.preferred, whole.blocks, whole.spread);
  }

  /** How ranks lie that have a layout of their own inside this one, but for required levels. */
  Layout around(Layout own) {
    return own.equals(ANY)
        ? this
        : new Layout(
            Optional.empty(),
            own.preferred().or(() -> preferred),
            blocks.isEmpty() ? own.blocks() : blocks,
            spread.or(own::spread));
  }

  /** Whether ranks lie together in blocks, or apart. */
  boolean ordered() {
    return !blocks.isEmpty() || spread.isPresent();
  }

  /** The same with a domain that must hold the whole gang. */
  public Layout withRequired(String level) {
    return new Layout(Optional.of(level), preferred, blocks, spread);
  }

  /** The same with a domain that should hold the whole gang. */
  public Layout withPreferred(String level) {
    return new Layout(required, Optional.of(level), blocks, spread);
  }

  /** The same with blocks inside those that there are. */
  public Layout withBlocks(String level, int ranks) {
    List<Block> more = new ArrayList<>(blocks);
    more.add(new Block(level, ranks));
    return new Layout(required, preferred, more, spread);
  }

  /** The same with at most so many ranks in one domain. */
  public Layout withSpread(String level, int most) {
    return new Layout(required, preferred, blocks, Optional.of(new Spread(level, most, false)));
  }

  /** The same with as many ranks in each domain that holds any. */
  public Layout balanced(String level) {
    return new Layout(
        required, preferred, blocks, Optional.of(new Spread(level, Integer.MAX_VALUE, true)));
  }
}
