// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Four ranks that write as fast as they can. */
@Tag("integration")
@Timeout(300)
@ExtendWith(NothingLeft.class)
class LogFloodTest {

  private static final long BYTES_OF_A_RANK = 100L << 20;
  private static final String LINE = "step 000123 loss 0.123456 lr 0.00030000 tokens/s 123456.7890";
  private static final Duration LOOK_EVERY = Duration.ofMillis(25);
  private static final int LOOKS_FOR_EACH_OF_THE_HEAP = 10;

  /** Of the time that a question takes while the flood runs; one alone may meet a collection. */
  private static final Duration MOST_FOR_HALF_OF_THE_LOOKS = Duration.ofMillis(200);

  /** A small part of what one rank writes: bytes that were kept in memory would soon be more. */
  private static final ByteSize MOST_GROWTH = ByteSize.mebibytes(15);

  @Test
  void aFloodOfLogsLeavesTheHeapFlatAndTheEngineResponsive() throws Exception {
    String flood = "yes '%s' | head -c %d".formatted(LINE, BYTES_OF_A_RANK);
    try (ClusterEngine engine =
        Clusters.engine().backend(LocalBackend.builder().factory()).open()) {
      warmUp(engine);
      long before = usedHeap();
      long start = System.nanoTime();
      try (Cluster cluster = engine.launch(spec(flood)).await();
          LogStream followed = cluster.logs(LogQuery.ofRank(0).following());
          LogStream forgotten = cluster.logs(LogQuery.all().following())) {
        CompletableFuture<Long> count = new CompletableFuture<>();
        Thread reader = Thread.ofVirtual().start(() -> count.complete(count(followed.bytes())));
        assertThat(forgotten.bytes().read()).isEqualTo('[');
        Looks looks = lookUntilTheEnd(engine, cluster);
        double seconds = (System.nanoTime() - start) / 1e9;
        reader.join();
        assertThat(cluster.join().success()).isTrue();
        assertThat(count.get()).isEqualTo(BYTES_OF_A_RANK);
        report(looks, before, seconds);
        assertThat(looks.most() - before).isLessThan(MOST_GROWTH.bytes());
        assertThat(looks.median()).isLessThan(MOST_FOR_HALF_OF_THE_LOOKS);
        for (int rank = 1; rank < 4; rank++) {
          try (LogStream log = cluster.logs(LogQuery.ofRank(rank))) {
            assertThat(count(log.bytes())).isEqualTo(BYTES_OF_A_RANK);
          }
        }
      }
    }
  }

  private static ClusterSpec spec(String script) {
    return ClusterSpec.builder("flood").nodes(4).command("sh", "-c", script).build();
  }

  /** So that classes and pools that stay do not count as growth. */
  private static void warmUp(ClusterEngine engine) throws InterruptedException {
    try (Cluster cluster = engine.launch(spec("head -c 3000000 /dev/zero")).await()) {
      assertThat(cluster.join().success()).isTrue();
    }
  }

  /** What was seen while the flood ran: most used heap, and how long each look took, in order. */
  private record Looks(long most, List<Duration> times) {

    Duration median() {
      return times.get(times.size() / 2);
    }
  }

  private static Looks lookUntilTheEnd(ClusterEngine engine, Cluster cluster) throws Exception {
    long most = 0;
    List<Duration> times = new ArrayList<>();
    boolean over = false;
    while (!over) {
      try {
        cluster.exit().get(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        over = true;
      } catch (TimeoutException running) {
        if (times.size() % LOOKS_FOR_EACH_OF_THE_HEAP == 0) {
          most = Math.max(most, usedHeap());
        }
        times.add(look(engine, cluster));
      }
    }
    assertThat(times).as("looks while the flood ran").hasSizeGreaterThan(10);
    return new Looks(most, times.stream().sorted().toList());
  }

  private static Duration look(ClusterEngine engine, Cluster cluster) {
    long start = System.nanoTime();
    assertThat(engine.find(cluster.id())).isPresent();
    assertThat(engine.clusters()).hasSizeLessThanOrEqualTo(1);
    assertThat(engine.pool()).hasSizeLessThanOrEqualTo(4);
    assertThat(engine.usage().lines()).isNotEmpty();
    assertThat(cluster.state()).isGreaterThanOrEqualTo(ClusterState.RUNNING);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static long usedHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long count(InputStream bytes) {
    byte[] buffer = new byte[1 << 16];
    long count = 0;
    try {
      int read;
      while ((read = bytes.read(buffer)) >= 0) {
        count += read;
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return count;
  }

  private static void report(Looks looks, long before, double seconds) {
    System.out.printf(
        "log flood: %.0f MB/s from 4 ranks, heap %d KiB before, at most %d KiB while it ran, %d"
            + " looks, half of them within %.1f ms, the slowest %d ms%n",
        4 * BYTES_OF_A_RANK / 1e6 / seconds,
        before >> 10,
        looks.most() >> 10,
        looks.times().size(),
        looks.median().toNanos() / 1e6,
        looks.times().getLast().toMillis());
  }
}
