// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One thing that would have to be different for a gang to start now, with numbers; {@code toString}
 * is the first half of a sentence, which {@link StartChange} completes.
 */
public sealed interface Change {

  /** Whether whoever launches the gang can change it, and not only who runs the pool. */
  default boolean byOwner() {
    return switch (this) {
      case NodesReady operator -> false;
      case MoreQuota operator -> false;
      case MoreOffered operator -> false;
      case MoreNodes operator -> false;
      case Moves operator -> false;
      case Preemptible operator -> false;
      case GangEnds operator -> false;
      default -> true;
    };
  }

  /**
   * The gang says that it ends sooner, before what it uses is needed by others.
   *
   * @param most the longest time limit that is short enough
   */
  record TimeLimit(Duration most) implements Change {
    @Override
    public String toString() {
      return "with a time limit of " + most + " or less";
    }
  }

  /**
   * All ranks in one domain of a level further out.
   *
   * @param asked the level that is required
   * @param instead the innermost level that does
   */
  record OuterLevel(String asked, String instead) implements Change {
    @Override
    public String toString() {
      return "in one %s instead of one %s".formatted(instead, asked);
    }
  }

  /** One domain of a level is preferred, no longer required. */
  record PreferredLevel(String level) implements Change {
    @Override
    public String toString() {
      return "with one %s preferred instead of required".formatted(level);
    }
  }

  /**
   * More ranks in one domain than a spread allows.
   *
   * @param asked how many ranks a domain of the level may hold
   * @param most how many it must be allowed to hold at least
   */
  record WiderSpread(String level, int asked, int most) implements Change {
    @Override
    public String toString() {
      return "with %s in one %s instead of %d".formatted(count(most, "rank"), level, asked);
    }
  }

  /** Ranks need not lie apart in domains of a level. */
  record NoSpread(String level) implements Change {
    @Override
    public String toString() {
      return "without a spread over domains of the level " + level;
    }
  }

  /**
   * Fewer consecutive ranks in one domain.
   *
   * @param asked how many ranks a block of the level has
   * @param most the largest block that does
   */
  record SmallerBlocks(String level, int asked, int most) implements Change {
    @Override
    public String toString() {
      return "with blocks of %s in one %s instead of %d"
          .formatted(count(most, "rank"), level, asked);
    }
  }

  /** Consecutive ranks need not lie in blocks of a level. */
  record NoBlocks(String level, int ranks) implements Change {
    @Override
    public String toString() {
      return "without blocks of %d ranks in one %s".formatted(ranks, level);
    }
  }

  /** Ranks may lie anywhere. */
  record NoLayout() implements Change {
    @Override
    public String toString() {
      return "without any layout";
    }
  }

  /**
   * Fewer spares.
   *
   * @param asked how many the gang asks for
   * @param most with how many it starts
   */
  record FewerSpares(int asked, int most) implements Change {
    @Override
    public String toString() {
      return "with %s instead of %d".formatted(count(most, "spare"), asked);
    }
  }

  /**
   * Fewer ranks of a role.
   *
   * @param asked the fewest with which the role starts now
   * @param most the most with which it would start
   */
  record FewerNodes(String role, int asked, int most) implements Change {
    @Override
    public String toString() {
      return "with %s instead of %d for the role %s".formatted(count(most, "node"), asked, role);
    }
  }

  /**
   * Ranks of a role that take less of their nodes: as much less of the CPUs and of the memory as of
   * the GPUs.
   *
   * @param asked what a rank takes now; empty for its whole node
   * @param most the most with which it would start
   */
  record SmallerRanks(String role, Optional<Resources> asked, Resources most) implements Change {
    @Override
    public String toString() {
      return "with %s for each rank of the role %s instead of %s"
          .formatted(most, role, asked.map(Resources::toString).orElse("a whole node"));
    }
  }

  /**
   * The gang is charged to another queue. Whether its owner may use that, only who runs the pool
   * can tell.
   *
   * @param instead the nearest in the tree that does
   */
  record OtherQueue(String asked, String instead) implements Change {
    @Override
    public String toString() {
      return "in the queue %s instead of %s"
          .formatted(instead, asked.isEmpty() ? "the root of all queues" : asked);
    }
  }

  /** Nodes with a taint are tolerated. */
  record Tolerated(String taint) implements Change {
    @Override
    public String toString() {
      return "with the taint %s tolerated".formatted(taint);
    }
  }

  /** A node need not say something of itself. */
  record NoAttribute(String name, String value) implements Change {
    @Override
    public String toString() {
      return "without asking that nodes say %s=%s".formatted(name, value);
    }
  }

  /** GPUs of any model. */
  record AnyGpuModel(String asked) implements Change {
    @Override
    public String toString() {
      return "with GPUs of any model instead of " + asked;
    }
  }

  /** Nodes of any shape. */
  record AnyShape(String asked) implements Change {
    @Override
    public String toString() {
      return "on nodes of any shape instead of " + asked;
    }
  }

  /**
   * A lower RDMA rate.
   *
   * @param asked in Gb/s
   * @param gigabits the highest that does
   */
  record LowerRdma(int asked, int gigabits) implements Change {
    @Override
    public String toString() {
      return "with RDMA of %d Gb/s instead of %d".formatted(gigabits, asked);
    }
  }

  /** No RDMA. */
  record NoRdma() implements Change {
    @Override
    public String toString() {
      return "without RDMA";
    }
  }

  /** Nodes of any backend. */
  record AnyBackend(String asked) implements Change {
    @Override
    public String toString() {
      return "on any backend instead of " + asked;
    }
  }

  /**
   * A higher priority.
   *
   * @param least the lowest that suffices
   */
  record Priority(int asked, int least) implements Change {
    @Override
    public String toString() {
      return "with a priority of %d or more instead of %d".formatted(least, asked);
    }
  }

  /**
   * Nodes that are there and out of use become usable.
   *
   * @param domain what they all lie in
   * @param nodes which
   * @param forOthers how many of them are for gangs that go first
   */
  record NodesReady(String domain, List<NodeId> nodes, int forOthers) implements Change {
    public NodesReady {
      nodes = List.copyOf(nodes);
    }

    @Override
    public String toString() {
      return "with %s in use again in %s%s".formatted(some(nodes), domain, goFirst(forOthers));
    }
  }

  /**
   * A queue owns more.
   *
   * @param more what it would need beside what it owns
   * @param forOthers how much of that is for gangs that go first
   */
  record MoreQuota(String queue, Resources more, Resources forOthers) implements Change {
    @Override
    public String toString() {
      String whose = queue.isEmpty() ? "the root of all queues" : "queue " + queue;
      String first = parts(forOthers);
      return "with %s more for %s%s"
          .formatted(
              parts(more), whose, first.isEmpty() ? "" : ", " + first + " of it for earlier gangs");
    }

    private static String parts(Resources some) {
      List<String> parts = new ArrayList<>();
      if (some.gpus() > 0) {
        parts.add(some.gpus() + " × " + (some.gpuModel().isEmpty() ? "GPU" : some.gpuModel()));
      }
      if (some.cpus() > 0) {
        parts.add(some.cpus() + " CPUs");
      }
      if (some.memory().bytes() > 0) {
        parts.add(some.memory().toString());
      }
      return String.join(", ", parts);
    }
  }

  /**
   * A backend has more of a shape in a zone.
   *
   * @param nodes how many more at least
   * @param forOthers how many of them are for gangs that go first
   */
  record MoreOffered(String backend, String zone, String shape, int nodes, int forOthers)
      implements Change {
    @Override
    public String toString() {
      return "with %d more %s available in zone %s of %s%s"
          .formatted(nodes, shape, zone, backend, goFirst(forOthers));
    }
  }

  /**
   * More free nodes.
   *
   * @param nodes how many more at least
   * @param shape what they are
   * @param domain where
   * @param forOthers how many of them are for gangs that go first
   */
  record MoreNodes(int nodes, String shape, String domain, int forOthers) implements Change {
    @Override
    public String toString() {
      return "with %d more free %s in %s%s".formatted(nodes, shape, domain, goFirst(forOthers));
    }
  }

  /**
   * The policy lets gangs be moved.
   *
   * @param cost the work that would be lost
   */
  record Moves(Duration cost) implements Change {
    @Override
    public String toString() {
      return "with moves allowed that cost others %s of work".formatted(cost);
    }
  }

  /** Others may be ended for gangs of a higher priority. */
  record Preemptible(List<ClusterId> gangs) implements Change {
    public Preemptible {
      gangs = List.copyOf(gangs);
    }

    @Override
    public String toString() {
      return "with %s preemptible".formatted(some(gangs));
    }
  }

  /**
   * Another gang ends.
   *
   * @param nodes how many nodes it holds
   */
  record GangEnds(ClusterId gang, int nodes) implements Change {
    @Override
    public String toString() {
      return "with the gang %s ended, which holds %s".formatted(gang, count(nodes, "node"));
    }
  }

  private static String goFirst(int nodes) {
    return nodes == 0 ? "" : ", %d of them for earlier gangs".formatted(nodes);
  }

  private static String count(int number, String what) {
    return number == 1 ? "1 " + what : number + " " + what + "s";
  }

  /** Names for people: no more than ten. */
  private static String some(List<?> names) {
    String first = names.stream().limit(10).map(Object::toString).collect(Collectors.joining(", "));
    return names.size() <= 10 ? first : first + " and %d more".formatted(names.size() - 10);
  }
}
