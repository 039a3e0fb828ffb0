// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Why a gang is not placed yet, with numbers; {@code toString} is a sentence. */
public sealed interface WaitReason {

  /** Earlier gangs go first. */
  record Behind(int ahead, ClusterId head) implements WaitReason {
    @Override
    public String toString() {
      return ahead == 1
          ? "earlier gang %s waits".formatted(head)
          : "%d earlier gangs wait; the first is %s".formatted(ahead, head);
    }
  }

  /** What keeps a gang from a node, whoever uses it. */
  enum Bar {
    /** It is kept for gangs that go first. */
    KEPT("kept for others"),
    /** It has not reported yet. */
    BOOTING("booting"),
    /** It takes nobody new. */
    CORDONED("cordoned"),
    /** It says of itself that it is sick. */
    FAULTY("faulty"),
    /** It does not answer. */
    LOST("lost"),
    /** It has a taint that the gang does not tolerate. */
    TAINT("with the taint"),
    /** It does not say of itself what the gang asks. */
    ATTRIBUTE("without"),
    /** It does not report a level that the layout asks for. */
    LEVEL("without the level"),
    /** It is of another backend than the gang asks for. */
    BACKEND("of another backend than"),
    /** It is of another shape than the gang asks for. */
    SHAPE("of another shape than"),
    /** Its shape has less than a rank takes, or GPUs of another model. */
    RESOURCES("of a shape without"),
    /** Its RDMA rate is too low. */
    RDMA("without RDMA of"),
    /** It would do, but not together with the others, such as in another zone. */
    APART("outside of");

    private final String words;

    Bar(String words) {
      this.words = words;
    }
  }

  /**
   * Nodes that a gang could not have even if nobody used them. Each is counted once: what is out of
   * use as that, the rest by the first thing that keeps the gang from it.
   *
   * @param nodes how many; inside a domain, where a node holds several ranks of the gang, how many
   *     ranks
   * @param bar what keeps the gang from them
   * @param name which taint, attribute, level, backend, shape, rate or domain; empty for others
   */
  record Barred(int nodes, Bar bar, String name) {
    @Override
    public String toString() {
      return nodes + " " + bar.words + (name.isEmpty() ? "" : " " + name);
    }
  }

  private static String nodes(int count) {
    return count == 1 ? "1 node" : count + " nodes";
  }

  private static String list(int free, int busy, List<Barred> barred) {
    StringBuilder text = new StringBuilder(free + " free");
    if (busy > 0) {
      text.append(", ").append(busy).append(" busy");
    }
    barred.forEach(some -> text.append(", ").append(some));
    return text.toString();
  }

  /**
   * Not enough free nodes together, and not enough could be launched. Free, busy and barred nodes
   * are all that there are of such a shape in the domain.
   *
   * @param asked nodes the gang needs in one domain
   * @param bestDomain the zone or fabric that has most
   * @param free nodes free there
   * @param busy nodes there that others use and that would fit when they are free
   * @param launchable nodes that offers would add there at most
   * @param barred nodes there that the gang could not have even if nobody used them
   */
  record NotEnoughNodes(
      int asked, String bestDomain, int free, int busy, int launchable, List<Barred> barred)
      implements WaitReason {
    public NotEnoughNodes {
      barred = List.copyOf(barred);
    }

    @Override
    public String toString() {
      StringBuilder out = new StringBuilder();
      barred.forEach(some -> out.append(some).append(", "));
      return "asked %s in one domain; best is %s: %d free, %d busy, %s%d could be launched"
          .formatted(nodes(asked), bestDomain, free, busy, out, launchable);
    }
  }

  /**
   * Enough nodes are free, but not where the gang needs them together: fragmentation, not capacity.
   * Free, busy and barred nodes are all that there are of such a shape in the domain.
   *
   * @param asked nodes needed in one domain of the level
   * @param times how many such parts the gang has; 1 when it must lie in one domain whole
   * @param level the level of the topology
   * @param bestDomain the domain of the level that has most
   * @param free nodes free there
   * @param freeInAll nodes free in the best zone as a whole, or in the domain that must hold all
   *     parts
   * @param busy nodes of {@code bestDomain} that others use
   * @param barred nodes of {@code bestDomain} that it could not have even if nobody used them
   * @param fitting for how many of the parts there is room at once
   */
  record Fragmented(
      int asked,
      int times,
      String level,
      String bestDomain,
      int free,
      int freeInAll,
      int busy,
      List<Barred> barred,
      int fitting)
      implements WaitReason {
    public Fragmented {
      barred = List.copyOf(barred);
    }

    @Override
    public String toString() {
      String there = list(free, busy, barred);
      if (times == 1) {
        return "asked %s in one %s; best is %s: %s; %d are free in the zone, but not so together: fragmentation, not capacity"
            .formatted(nodes(asked), level, bestDomain, there, freeInAll);
      }
      return "asked %d blocks of %s, each in one %s; best is %s: %s; %d are free together, with room for %d such blocks: fragmentation, not capacity"
          .formatted(times, nodes(asked), level, bestDomain, there, freeInAll, fitting);
    }
  }

  /**
   * Enough nodes are free, but not in as many domains as the gang must spread over.
   *
   * @param asked nodes the gang needs
   * @param most how many may be in one domain of the level; for an even spread any number
   * @param even whether each domain must hold as many as the others, but for one
   * @param level the level of the topology
   * @param domains how many domains of it have a free node
   * @param fitting for how many nodes there is room so
   * @param freeInAll nodes free in the best zone as a whole, or in the domain that must hold all
   */
  record NotApart(
      int asked, int most, boolean even, String level, int domains, int fitting, int freeInAll)
      implements WaitReason {
    @Override
    public String toString() {
      String how =
          even
              ? "as many in each %s as in the others".formatted(level)
              : "no more than %d in one %s".formatted(most, level);
      return "asked %s, %s; %d are free together, in %d domains of that level, with room for %d so: too few domains, not too few nodes"
          .formatted(nodes(asked), how, freeInAll, domains, fitting);
    }
  }

  /**
   * Nodes outside of the best domain that nobody uses and that the gang cannot have.
   *
   * @param barred how many, by what keeps the gang from them; at least one
   */
  record NotForIt(List<Barred> barred) implements WaitReason {
    public NotForIt {
      barred = List.copyOf(barred);
    }

    @Override
    public String toString() {
      int nodes = barred.stream().mapToInt(Barred::nodes).sum();
      return "%s idle and not for it: %s"
          .formatted(
              nodes == 1 ? "1 node elsewhere is" : nodes + " nodes elsewhere are",
              barred.stream().map(Barred::toString).collect(Collectors.joining(", ")));
    }
  }

  /**
   * Enough is free, but kept for gangs that go first.
   *
   * @param nodes how many nodes are kept
   * @param first whom the first of them is kept for
   * @param start when that gang needs it at the latest, if that is known: who ends before may have
   *     it until then
   */
  record Kept(int nodes, ClusterId first, java.util.Optional<java.time.Instant> start)
      implements WaitReason {
    @Override
    public String toString() {
      String until = start.map(at -> ", who starts at " + at + " at the latest").orElse("");
      String free = nodes == 1 ? "1 node is" : nodes + " nodes are";
      return "%s free, but kept for %s%s".formatted(free, first, until);
    }
  }

  /**
   * Others are ending, and what they free is kept for the gang.
   *
   * @param gangs how many end
   * @param nodes how many nodes are kept
   * @param until how long that is waited for; empty for as long as it takes
   */
  record Draining(int gangs, int nodes, java.util.Optional<java.time.Instant> until)
      implements WaitReason {
    @Override
    public String toString() {
      return "%d gangs are ending to make room; %d nodes are kept%s"
          .formatted(gangs, nodes, until.map(at -> " until " + at).orElse(""));
    }
  }

  /**
   * The gang's queue, or a queue around it, may not have more at this moment: {@code asked} is more
   * than {@code limit} less {@code used} and {@code kept}.
   *
   * @param queue the queue that is at its limit; empty for the root of all queues
   * @param asked what the gang would add
   * @param used what all gangs of that queue have, also those of queues inside it; more than the
   *     limit when that was higher before
   * @param limit what they may have in all: what is their own, and what may be borrowed
   * @param kept what of that other queues inside it own, do not lend and do not use
   * @param lent what of {@code used} is the own of the gang's queue, or of one around it, and lent
   */
  record QueueLimit(
      String queue,
      Resources asked,
      Resources used,
      Resources limit,
      Resources kept,
      Resources lent)
      implements WaitReason {
    @Override
    public String toString() {
      List<String> lacking = new ArrayList<>();
      if (asked.gpus() > (long) limit.gpus() - used.gpus() - kept.gpus()) {
        String model = limit.gpuModel().isEmpty() ? "GPU" : limit.gpuModel();
        lacking.add(
            lack(
                asked.gpus() + " × " + model,
                used.gpus(),
                limit.gpus(),
                some(kept.gpus()),
                some(lent.gpus())));
      }
      if (asked.cpus() > (long) limit.cpus() - used.cpus() - kept.cpus()) {
        lacking.add(
            lack(
                asked.cpus() + " CPUs",
                used.cpus(),
                limit.cpus(),
                some(kept.cpus()),
                some(lent.cpus())));
      }
      if (asked.memory().bytes()
          > limit.memory().bytes() - used.memory().bytes() - kept.memory().bytes()) {
        lacking.add(
            lack(
                asked.memory() + " of memory",
                used.memory(),
                limit.memory(),
                some(kept.memory()),
                some(lent.memory())));
      }
      return "%s is at its limit: %s"
          .formatted(
              queue.isEmpty() ? "the root of all queues" : "queue " + queue,
              String.join("; ", lacking));
    }

    private static String some(int amount) {
      return amount == 0 ? "" : Integer.toString(amount);
    }

    private static String some(ByteSize amount) {
      return amount.bytes() == 0 ? "" : amount.toString();
    }

    private static String lack(String asked, Object used, Object limit, String kept, String lent) {
      return "asked %s, with %s of %s in use%s%s"
          .formatted(
              asked,
              used,
              limit,
              lent.isEmpty() ? "" : ", " + lent + " of that lent by the gang's own queue",
              kept.isEmpty() ? "" : ", and " + kept + " not lent by the queues that own it");
    }
  }

  /** A launch for the gang is under way. */
  record LaunchInFlight(LaunchId launch, int nodes, String zone) implements WaitReason {
    @Override
    public String toString() {
      return "launch %s of %d nodes in zone %s is under way".formatted(launch, nodes, zone);
    }
  }

  /**
   * A launch for the gang has brought some of its nodes.
   *
   * @param granted how many of {@code nodes} are granted so far
   * @param deadline until when the others are waited for, if that is limited
   */
  record PartlyGranted(
      LaunchId launch,
      int granted,
      int nodes,
      String zone,
      java.util.Optional<java.time.Instant> deadline)
      implements WaitReason {
    @Override
    public String toString() {
      return "launch %s in zone %s has brought %d of %d nodes%s"
          .formatted(
              launch,
              zone,
              granted,
              nodes,
              deadline.map(at -> "; the others are waited for until " + at).orElse(""));
    }
  }

  /**
   * A rank lost its node, and there is no other for it where it must lie.
   *
   * @param domain where it must lie
   * @param free nodes that are free for it there
   * @param lacking ranks of the gang that need one there
   */
  record NodeLost(int rank, NodeId node, String domain, int free, int lacking)
      implements WaitReason {
    @Override
    public String toString() {
      String there =
          free == 0
              ? "no free node for it"
              : "%d free for the %d ranks that lost theirs".formatted(free, lacking);
      return "rank %d lost node %s; %s has %s".formatted(rank, node, domain, there);
    }
  }

  /** A backend that might have a place could not be asked. */
  record BackendUnreachable(String backend, String failure) implements WaitReason {
    @Override
    public String toString() {
      return "the backend %s could not be asked what it has (%s); it is asked again"
          .formatted(backend, failure);
    }
  }

  /** A launch failed a moment ago and is not tried again there yet. */
  record CoolingDown(String zone, String shape, java.time.Instant until, String failure)
      implements WaitReason {
    @Override
    public String toString() {
      return "zone %s had no %s; tried again at %s (%s)".formatted(zone, shape, until, failure);
    }
  }
}
