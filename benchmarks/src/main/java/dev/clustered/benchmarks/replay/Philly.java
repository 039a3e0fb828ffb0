// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Terms;
import dev.clustered.model.ClusterId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The jobs of Microsoft's Philly trace of 2017 (82,247 of them): when they came and how long they
 * ran. They become gangs of whole nodes whose time limit is exactly what they ran.
 */
final class Philly {

  private static final String FILE = "philly_82k.csv";
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
  private static final int GPUS_OF_NODE = 8;

  /**
   * By which each doubling of a gang's size is rarer: gives gangs of 1 to 128 nodes with the mean
   * of the Kalos cluster, 26.8 GPUs.
   */
  private static final double RARER = 0.4645;

  private static final int MOST_NODES = 128;

  private final List<Row> rows;

  /** How gangs get their sizes. */
  enum Sizes {
    /** As many nodes as the GPUs of the trace fill; all but 289 gangs have one node. */
    TRACED,
    /** Drawn apart from the trace, as in a cluster that trains language models. */
    DRAWN
  }

  private record Row(LocalDateTime at, double seconds, int gpus) {}

  private Philly(List<Row> rows) {
    this.rows = rows;
  }

  /** Reads the trace from a folder; empty when it is not there. */
  static Optional<Philly> in(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return Optional.of(
          new Philly(
              lines
                  .skip(1)
                  .filter(line -> !line.isBlank())
                  .map(Philly::row)
                  .sorted(Comparator.comparing(Row::at))
                  .toList()));
    }
  }

  private static Row row(String line) {
    String[] fields = line.split(",", -1);
    return new Row(
        LocalDateTime.parse(fields[0], TIME),
        Double.parseDouble(fields[1]),
        Integer.parseInt(fields[2]));
  }

  /**
   * Jobs for a pool of so many nodes. Gangs that are larger than a quarter of the pool are left
   * out. Of the others so many are kept, drawn one by one, that they ask for a part of the pool's
   * time between the first and the last coming.
   *
   * @param load which part, such as 0.9
   */
  List<Job> jobs(int nodes, Sizes sizes, double load, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    LocalDateTime first = rows.getFirst().at();
    List<Job> fitting = new ArrayList<>();
    for (Row row : rows) {
      int size =
          sizes == Sizes.DRAWN ? drawn(random) : (row.gpus() + GPUS_OF_NODE - 1) / GPUS_OF_NODE;
      if (size <= nodes / 4 && row.seconds() > 0) {
        long at = Duration.between(first, row.at()).toMillis();
        fitting.add(job(fitting.size(), at, Math.round(row.seconds() * 1000), size));
      }
    }
    double asked = fitting.stream().mapToDouble(job -> (double) job.units() * job.runs()).sum();
    double there = (double) nodes * fitting.getLast().submitted();
    double kept = load * there / asked;
    return fitting.stream().filter(job -> random.nextDouble() < kept).toList();
  }

  private static int drawn(SplittableRandom random) {
    int size = 1;
    double all = (1 - Math.pow(RARER, 8)) / (1 - RARER);
    double at = random.nextDouble() * all;
    for (double weight = 1; at >= weight && size < MOST_NODES; weight *= RARER) {
      at -= weight;
      size *= 2;
    }
    return size;
  }

  /** A gang of whole nodes, anywhere, that runs for exactly as long as it says. */
  static Job job(int number, long at, long runs, int nodes) {
    GangRequest gang =
        new GangRequest(
                new ClusterId("j-" + number),
                nodes,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                ByPlanner.at(at))
            .withTerms(Terms.DEFAULT.withTimeLimit(Duration.ofMillis(runs)));
    return new Job(number, at, runs, nodes, gang);
  }
}
