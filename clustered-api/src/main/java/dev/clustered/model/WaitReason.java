// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** Why a gang is not placed yet, with numbers; {@code toString} is a sentence. */
public sealed interface WaitReason {

  /** Earlier gangs go first. */
  record Behind(int ahead, ClusterId head) implements WaitReason {
    @Override
    public String toString() {
      return "%d earlier gangs wait; the first is %s".formatted(ahead, head);
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

  /** A launch for the gang is under way. */
  record LaunchInFlight(LaunchId launch, int nodes, String zone) implements WaitReason {
    @Override
    public String toString() {
      return "launch %s of %d nodes in zone %s is under way".formatted(launch, nodes, zone);
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
