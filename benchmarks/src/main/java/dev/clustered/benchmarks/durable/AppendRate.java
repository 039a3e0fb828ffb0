// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.durable;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.spi.StateStore;
import dev.clustered.store.jdbc.SqliteStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * How many appends of one event a second SQLite takes, each returning when it is on the disk, from
 * as many threads; beside it how often the same disk forces that many bytes of one thread. The
 * rounds of all figures are measured in turn.
 */
final class AppendRate implements Suite.Measurement {

  private static final int[] THREADS = {1, 16, 64};
  private static final Duration ROUND = Duration.ofSeconds(2);
  private static final int WARM_UP = 4;
  private static final int ROUNDS = 9;
  private static final double BAR_PER_SECOND = 20_000;
  private static final String EVENT =
      "{\"fact\":\"Placed\",\"value\":{\"cluster\":\"train-7\",\"nodes\":[%s]}}"
          .formatted("\"node-0123456789\",".repeat(13) + "\"node-last\"");

  @Override
  public String name() {
    return "append";
  }

  @Override
  public List<Figure> run() throws Exception {
    Path directory = Files.createTempDirectory(Path.of("").toAbsolutePath(), "durable-");
    List<StateStore> stores = new ArrayList<>();
    try {
      for (int threads : THREADS) {
        stores.add(SqliteStore.open(directory.resolve("journal-" + threads + ".db")));
      }
      return measure(stores, directory.resolve("forced"));
    } finally {
      stores.forEach(StateStore::close);
      delete(directory);
    }
  }

  private List<Figure> measure(List<StateStore> stores, Path file) throws Exception {
    List<List<Double>> rates = new ArrayList<>();
    stores.forEach(store -> rates.add(new ArrayList<>()));
    List<Double> forced = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      double force = forceRate(file);
      for (int i = 0; i < THREADS.length; i++) {
        double rate = rate(stores.get(i), THREADS[i]);
        if (round >= 0) {
          rates.get(i).add(rate);
        }
      }
      if (round >= 0) {
        forced.add(force);
      }
    }
    return figures(rates, Distribution.of(forced).median());
  }

  private List<Figure> figures(List<List<Double>> rates, double forced) {
    List<Figure> figures = new ArrayList<>();
    for (int i = 0; i < THREADS.length; i++) {
      Distribution all = Distribution.of(rates.get(i));
      boolean most = THREADS[i] == THREADS[THREADS.length - 1];
      Figure figure =
          Figure.higher(
                  most ? name() : name() + "." + THREADS[i],
                  all.median(),
                  "events/s",
                  THREADS[i] + " threads, " + EVENT.length() + " characters; " + all.spread())
              .withPeer("force/s", forced);
      figures.add(most ? figure.withBar(BAR_PER_SECOND) : figure);
    }
    return figures.reversed();
  }

  /** Each round goes on with the store of the one before, as an engine does. */
  private static double rate(StateStore store, int threads) throws Exception {
    try (ExecutorService writers = Executors.newFixedThreadPool(threads)) {
      long begun = System.nanoTime();
      long end = begun + ROUND.toNanos();
      List<Future<Long>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        all.add(writers.submit(() -> append(store, end)));
      }
      long events = sum(all);
      return events / ((System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1));
    }
  }

  private static long append(StateStore store, long end) {
    long events = 0;
    List<String> one = List.of(EVENT);
    while (System.nanoTime() < end) {
      store.append(1, one);
      events++;
    }
    return events;
  }

  private static long sum(List<Future<Long>> all) throws InterruptedException, ExecutionException {
    long sum = 0;
    for (Future<Long> one : all) {
      sum += one.get();
    }
    return sum;
  }

  private static double forceRate(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(EVENT.length());
    long forces = 0;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      long begun = System.nanoTime();
      long end = begun + ROUND.toNanos();
      while (System.nanoTime() < end) {
        bytes.rewind();
        channel.write(bytes);
        channel.force(false);
        forces++;
      }
      return forces / ((System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1));
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
