// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Layout;
import dev.clustered.core.plan.Need;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.QueueTree;
import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.core.plan.Role;
import dev.clustered.core.plan.Terms;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The three loads of Kueue's scale test, with the numbers of its generators: cohorts of queues that
 * lend to one another, and in each queue jobs that come at fixed intervals. All may be evicted by
 * those of a higher priority. 640 nodes in ten racks, of which the queues own a small part.
 *
 * <p>CPUs are counted in quarters here, so a node has 384. Where the load has no topology, a job is
 * one rank of all its CPUs.
 */
record KueueLoad(String name, int cohorts, int queues, List<KueueLoad.JobClass> classes) {

  private static final int QUARTERS = 4;
  private static final Shape SHAPE =
      new Shape("cpu96", new Resources(0, "", 96 * QUARTERS, ByteSize.gibibytes(256)), 0, 0);
  private static final int NODES = 640;
  private static final int NODES_OF_RACK = 64;
  private static final Resources NOMINAL = quarters(20 * QUARTERS);
  private static final Resources BORROWING = quarters(100 * QUARTERS);

  /**
   * Jobs of a queue that are alike.
   *
   * @param count how many there are in each queue
   * @param interval between two of them, in milliseconds
   * @param runs how long each runs, in milliseconds
   * @param ranks how many ranks each has
   * @param each how many quarters of a CPU each rank takes
   */
  record JobClass(
      String name,
      int count,
      int interval,
      int runs,
      int priority,
      int ranks,
      int each,
      Wish wish) {

    private JobClass any(int count) {
      return with(count, Wish.ANY);
    }

    private JobClass with(int count, Wish other) {
      return new JobClass(name, count, interval, runs, priority, ranks, each, other);
    }

    private List<JobClass> thirds(int required, int preferred, int balanced) {
      return List.of(
          with(required, Wish.REQUIRED),
          with(preferred, Wish.PREFERRED),
          with(balanced, Wish.BALANCED));
    }
  }

  /** How a job's ranks lie. */
  enum Wish {
    ANY,
    REQUIRED,
    PREFERRED,
    BALANCED;

    Layout layout() {
      return switch (this) {
        case ANY -> Layout.ANY;
        case REQUIRED -> Layout.ANY.withRequired("rack");
        case PREFERRED -> Layout.ANY.withPreferred("rack");
        case BALANCED -> Layout.ANY.balanced("rack");
      };
    }
  }

  private static final JobClass SMALL = new JobClass("small", 0, 100, 200, 50, 1, 4, Wish.ANY);
  private static final JobClass MEDIUM = new JobClass("medium", 0, 500, 500, 100, 1, 20, Wish.ANY);
  private static final JobClass LARGE = new JobClass("large", 0, 1200, 1000, 200, 1, 80, Wish.ANY);
  private static final JobClass PAIR = new JobClass("small", 0, 100, 200, 50, 2, 2, Wish.ANY);
  private static final JobClass FOUR = new JobClass("medium", 0, 500, 500, 100, 4, 5, Wish.ANY);
  private static final JobClass EIGHT = new JobClass("large", 0, 1200, 1000, 200, 8, 10, Wish.ANY);

  KueueLoad {
    classes = List.copyOf(classes);
  }

  /** Single jobs in 30 queues: 15,000. */
  static KueueLoad baseline() {
    return new KueueLoad("baseline", 5, 6, List.of(SMALL.any(350), MEDIUM.any(100), LARGE.any(50)));
  }

  /** The same amounts as gangs of 2, 4 and 8, a third each with a rack required and preferred. */
  static KueueLoad tas() {
    List<JobClass> classes = new ArrayList<>(PAIR.thirds(120, 120, 110));
    classes.addAll(FOUR.thirds(34, 33, 33));
    classes.addAll(EIGHT.thirds(17, 17, 16));
    return new KueueLoad("tas", 5, 6, classes);
  }

  /** Single jobs in 1,000 queues: 50,000. */
  static KueueLoad large() {
    return new KueueLoad(
        "large",
        10,
        100,
        List.of(
            new JobClass("small", 35, 60, 150, 50, 1, 4, Wish.ANY),
            new JobClass("medium", 11, 300, 350, 100, 1, 20, Wish.ANY),
            new JobClass("large", 4, 700, 700, 200, 1, 80, Wish.ANY)));
  }

  static List<NodeView> nodes() {
    return Nodes.free(SHAPE, NODES, NODES_OF_RACK);
  }

  /** How many quarters of a CPU the queues own in all; the nodes have more. */
  long capacity() {
    return (long) cohorts * queues * NOMINAL.cpus();
  }

  PlanPolicy policy() {
    List<QueueShare> shares = new ArrayList<>();
    for (int cohort = 0; cohort < cohorts; cohort++) {
      Resources all = quarters(queues * NOMINAL.cpus());
      shares.add(share(cohort(cohort), "", all, Resources.NONE));
      for (int queue = 0; queue < queues; queue++) {
        shares.add(share(queue(cohort, queue), cohort(cohort), NOMINAL, BORROWING));
      }
    }
    return new PlanPolicy(Duration.ofDays(365))
        .withQueues(new QueueTree(shares, Duration.ofDays(7)));
  }

  List<Job> jobs() {
    List<Job> jobs = new ArrayList<>();
    for (JobClass one : classes) {
      for (int turn = 0; turn < one.count(); turn++) {
        for (int cohort = 0; cohort < cohorts; cohort++) {
          for (int queue = 0; queue < queues; queue++) {
            long at = (long) turn * one.interval();
            jobs.add(job(jobs.size(), at, one, queue(cohort, queue)));
          }
        }
      }
    }
    return jobs;
  }

  private static Job job(int number, long at, JobClass one, String queue) {
    return new Job(
        number,
        at,
        one.runs(),
        (long) one.ranks() * one.each(),
        gang("j-" + number, at, one, one.wish().layout())
            .withTerms(
                Terms.DEFAULT.withQueue(queue).withPriority(one.priority()).preemptibleByOthers()));
  }

  private static GangRequest gang(String name, long at, JobClass one, Layout layout) {
    Need need =
        new Need(
                Optional.empty(),
                Optional.empty(),
                Optional.of(quarters(one.each())),
                Optional.empty())
            .withPerNode(one.ranks());
    return new GangRequest(
            new ClusterId(name), ByPlanner.at(at), List.of(new Role(Role.ONLY, one.ranks(), need)))
        .withLayout(layout);
  }

  /**
   * The 15,000 gangs of {@link #tas} that all wait at once, without queues and priorities; every
   * third with a rack required, the others with one preferred.
   */
  static List<GangRequest> mix() {
    List<GangRequest> mix = new ArrayList<>();
    for (int queue = 0; queue < 30; queue++) {
      for (JobClass one : List.of(PAIR.any(350), FOUR.any(100), EIGHT.any(50))) {
        for (int job = 0; job < one.count(); job++) {
          Wish wish = job % 3 == 0 ? Wish.REQUIRED : Wish.PREFERRED;
          mix.add(gang("m-" + mix.size(), 0, one, wish.layout()));
        }
      }
    }
    return mix;
  }

  private static QueueShare share(
      String name, String parent, Resources nominal, Resources borrowing) {
    return new QueueShare(name, parent, nominal, Optional.of(borrowing), Optional.empty(), 1);
  }

  private static String cohort(int cohort) {
    return "cohort-%02d".formatted(cohort);
  }

  private static String queue(int cohort, int queue) {
    return "queue-%02d-%03d".formatted(cohort, queue);
  }

  private static Resources quarters(int cpus) {
    return new Resources(0, "", cpus, ByteSize.ZERO);
  }
}
