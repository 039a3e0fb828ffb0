// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What an operator decides. Immutable and thread-safe.
 *
 * @param idleNodeTime how long a node that nobody holds is kept
 * @param queues who may have how much
 * @param backfill how later gangs use what an earlier one waits for
 * @param preemption whether and how others are ended for a gang
 * @param migration whether and how others are moved for a gang
 * @param launching what becomes of launches that do not bring what was asked for
 */
public record PlanPolicy(
    Duration idleNodeTime,
    QueueTree queues,
    Backfill backfill,
    Preemption preemption,
    Migration migration,
    Launching launching) {

  /**
   * How later gangs use what an earlier one waits for.
   *
   * @param reservations for how many waiting gangs that want the same nodes something is kept; 1 or
   *     more
   * @param overdue how long after its expected end a gang is still expected to end at any moment;
   *     after that nobody counts on it
   */
  public record Backfill(int reservations, Duration overdue) {

    /** One reservation, five minutes. */
    public static final Backfill DEFAULT = new Backfill(1, Duration.ofMinutes(5));

    public Backfill {
      if (reservations < 1) {
        throw new IllegalArgumentException("reservations are 1 or more; received: " + reservations);
      }
      requireNotNegative("overdue", overdue);
    }
  }

  /**
   * Whether and how others are ended for a gang.
   *
   * @param enabled whether anybody is
   * @param minimumRuntime how long a gang runs before it may be ended for another
   * @param patience how long a gang rather waits for ends that are expected
   * @param drain how long those that end are waited for, before the gang that they end for is
   *     planned anew
   */
  public record Preemption(
      boolean enabled, Duration minimumRuntime, Duration patience, Duration drain) {

    /** Enabled, at any age, at once, ten minutes to end. */
    public static final Preemption DEFAULT =
        new Preemption(true, Duration.ZERO, Duration.ZERO, Duration.ofMinutes(10));

    /** Nobody is ended for another. */
    public static final Preemption NONE =
        new Preemption(false, Duration.ZERO, Duration.ZERO, Duration.ofMinutes(10));

    public Preemption {
      requireNotNegative("minimumRuntime", minimumRuntime);
      requireNotNegative("patience", patience);
      requireNotNegative("drain", drain);
    }
  }

  /**
   * Whether and how others are moved for a gang.
   *
   * @param enabled whether anybody is
   * @param mostCost how much work in all may be lost for one gang
   * @param every how often at most, counted from {@code lastAt}; zero for whenever it helps
   * @param lastAt when gangs were last moved
   */
  public record Migration(
      boolean enabled, Duration mostCost, Duration every, Optional<Instant> lastAt) {

    /** Nobody is moved. */
    public static final Migration NONE =
        new Migration(false, Duration.ZERO, Duration.ZERO, Optional.empty());

    public Migration {
      requireNotNegative("mostCost", mostCost);
      requireNotNegative("every", every);
    }
  }

  /**
   * What becomes of launches that do not bring what was asked for.
   *
   * @param late what becomes of the nodes of a launch that has not brought all by its deadline
   * @param firstCoolDown how long a zone is left alone after a launch of a shape failed there once
   * @param longestCoolDown how long at most, however often launches failed there
   */
  public record Launching(Late late, Duration firstCoolDown, Duration longestCoolDown) {

    /** Nodes go back, half a minute, half an hour. */
    public static final Launching DEFAULT =
        new Launching(Late.REFUND, Duration.ofSeconds(30), Duration.ofMinutes(30));

    /** What becomes of the nodes that a late launch did bring. */
    public enum Late {
      /** They are given back together, and the gang is launched elsewhere. */
      REFUND,
      /** They stay, and only the rest is launched again; with RDMA they are given back. */
      KEEP
    }

    public Launching {
      requireNotNegative("firstCoolDown", firstCoolDown);
      requireNotNegative("longestCoolDown", longestCoolDown);
      if (longestCoolDown.compareTo(firstCoolDown) < 0) {
        throw new IllegalArgumentException(
            "the longest cool-down is no shorter than the first, %s; received: %s"
                .formatted(firstCoolDown, longestCoolDown));
      }
    }

    /** The same with this for nodes of late launches. */
    public Launching withLate(Late other) {
      return new Launching(other, firstCoolDown, longestCoolDown);
    }

    /**
     * How long a zone is left alone when a launch of a shape has failed there: twice as long with
     * every failure. Whoever hears of the failure asks this, and puts the end into the {@link
     * CoolDown} of the next snapshots.
     *
     * @param failures how many launches there failed one after another, this one among them; 1 or
     *     more
     */
    public Duration coolDown(int failures) {
      if (failures < 1) {
        throw new IllegalArgumentException("failures are 1 or more; received: " + failures);
      }
      Duration time = firstCoolDown;
      for (int i = 1; i < failures && time.compareTo(longestCoolDown) < 0; i++) {
        if (time.isZero()) {
          return time;
        }
        time = time.plus(time);
      }
      return time.compareTo(longestCoolDown) < 0 ? time : longestCoolDown;
    }
  }

  public PlanPolicy {
    requireNotNegative("idleNodeTime", idleNodeTime);
  }

  /** One queue without limits, backfill, preemption of those that allow it, no migration. */
  public PlanPolicy(Duration idleNodeTime) {
    this(
        idleNodeTime,
        QueueTree.NONE,
        Backfill.DEFAULT,
        Preemption.DEFAULT,
        Migration.NONE,
        Launching.DEFAULT);
  }

  private static void requireNotNegative(String what, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(what + " is zero or more; received: " + value);
    }
  }

  /** The same with other queues. */
  public PlanPolicy withQueues(QueueTree other) {
    return new PlanPolicy(idleNodeTime, other, backfill, preemption, migration, launching);
  }

  /** The same with another backfill. */
  public PlanPolicy withBackfill(Backfill other) {
    return new PlanPolicy(idleNodeTime, queues, other, preemption, migration, launching);
  }

  /** The same with another preemption. */
  public PlanPolicy withPreemption(Preemption other) {
    return new PlanPolicy(idleNodeTime, queues, backfill, other, migration, launching);
  }

  /** The same with another migration. */
  public PlanPolicy withMigration(Migration other) {
    return new PlanPolicy(idleNodeTime, queues, backfill, preemption, other, launching);
  }

  /** The same with another rule for launches. */
  public PlanPolicy withLaunching(Launching other) {
    return new PlanPolicy(idleNodeTime, queues, backfill, preemption, migration, other);
  }
}
