// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.ArrayList;
import java.util.List;

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

  /**
   * Not enough free nodes together, and not enough could be launched.
   *
   * @param asked nodes the gang needs in one domain
   * @param bestDomain the zone or fabric that has most
   * @param free nodes free there
   * @param busy nodes there that would fit when they are free
   * @param launchable nodes that offers would add there at most
   */
  record NotEnoughNodes(int asked, String bestDomain, int free, int busy, int launchable)
      implements WaitReason {
    @Override
    public String toString() {
      return "asked %d nodes in one domain; best is %s: %d free, %d busy, %d could be launched"
          .formatted(asked, bestDomain, free, busy, launchable);
    }
  }

  /**
   * Enough nodes are free, but not where the gang needs them together.
   *
   * @param asked nodes needed in one domain of the level
   * @param times how many such parts the gang has; 1 when it must lie in one domain whole
   * @param level the level of the topology
   * @param bestDomain the domain of the level that has most
   * @param free nodes free there
   * @param freeInAll nodes free in the best zone as a whole
   */
  record Fragmented(int asked, int times, String level, String bestDomain, int free, int freeInAll)
      implements WaitReason {
    @Override
    public String toString() {
      String parts = times == 1 ? "" : "%d times ".formatted(times);
      return "asked %s%d nodes in one %s; best is %s: %d free; %d are free in the zone, but not so together"
          .formatted(parts, asked, level, bestDomain, free, freeInAll);
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
   * The gang's queue, or a queue around it, may not have more at this moment.
   *
   * @param queue the queue that is at its limit; empty for the root of all queues
   * @param asked what the gang would add
   * @param used what all gangs of that queue have, also those of queues inside it
   * @param limit what they may have now: what is their own, and what may be borrowed
   */
  record QueueLimit(String queue, Resources asked, Resources used, Resources limit)
      implements WaitReason {
    @Override
    public String toString() {
      List<String> lacking = new ArrayList<>();
      if (asked.gpus() > limit.gpus() - used.gpus()) {
        String model = limit.gpuModel().isEmpty() ? "GPU" : limit.gpuModel();
        lacking.add(lack(asked.gpus() + " × " + model, used.gpus(), limit.gpus()));
      }
      if (asked.cpus() > limit.cpus() - used.cpus()) {
        lacking.add(lack(asked.cpus() + " CPUs", used.cpus(), limit.cpus()));
      }
      if (asked.memory().bytes() > limit.memory().bytes() - used.memory().bytes()) {
        lacking.add(lack(asked.memory() + " of memory", used.memory(), limit.memory()));
      }
      return "%s is at its limit: %s"
          .formatted(
              queue.isEmpty() ? "the root of all queues" : "queue " + queue,
              String.join("; ", lacking));
    }

    private static String lack(String asked, Object used, Object limit) {
      return "asked %s, with %s of %s in use".formatted(asked, used, limit);
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
