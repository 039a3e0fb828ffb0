// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/** What {@link GangArrival} takes: every call of it timed by JMH, in a JVM of its own. */
final class OneGang implements Suite.Measurement {

  private static final int SECONDS = 5;

  @Override
  public String name() {
    return "gang";
  }

  @Override
  public List<Figure> run() throws RunnerException {
    Options options =
        new OptionsBuilder()
            .include(GangArrival.class.getName())
            .warmupIterations(1)
            .warmupTime(TimeValue.seconds(SECONDS))
            .measurementIterations(2)
            .measurementTime(TimeValue.seconds(SECONDS))
            .timeUnit(TimeUnit.MILLISECONDS)
            .forks(1)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    RunResult result = new Runner(options).runSingle();
    Statistics times = result.getPrimaryResult().getStatistics();
    String spread =
        "%.3g..%.3g, quartiles %.3g..%.3g, n=%d"
            .formatted(
                times.getMin(),
                times.getMax(),
                times.getPercentile(25),
                times.getPercentile(75),
                times.getN());
    return List.of(
        Figure.lower(name(), times.getPercentile(99), "ms", "p99 by JMH; " + spread).withBar(1),
        Figure.lower("gang.median", times.getPercentile(50), "ms", spread));
  }
}
