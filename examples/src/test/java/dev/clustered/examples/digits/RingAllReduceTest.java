// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingAllReduceTest {
  private static final long SEED = 11;

  private final Ring ring = new Ring();

  @ParameterizedTest
  @CsvSource({"1, 5", "2, 7", "3, 10", "4, 2", "4, 4811", "5, 1003", "3, 0"})
  void givesEveryRankTheSameSum(int ranks, int length) throws Exception {
    List<double[]> sums =
        ring.run(
            ranks,
            (rank, addresses) -> {
              double[] values = values(rank, length);
              try (RingAllReduce allReduce = connect(rank, addresses)) {
                allReduce.sum(values);
              }
              return values;
            });

    for (double[] sum : sums) {
      assertThat(sum).containsExactly(plainSum(ranks, length), within(1e-12));
      assertThat(sum).as("bit for bit as on rank 0").isEqualTo(sums.getFirst());
    }
  }

  @Test
  void sumsArraysFarLargerThanTheSocketsBuffer() throws Exception {
    int length = 4_000_003;
    List<double[]> sums =
        ring.run(
            2,
            (rank, addresses) -> {
              double[] values = values(rank, length);
              try (RingAllReduce allReduce = connect(rank, addresses)) {
                allReduce.sum(values);
              }
              return values;
            });

    assertThat(sums.get(0)).isEqualTo(plainSum(2, length));
    assertThat(sums.get(1)).isEqualTo(sums.get(0));
  }

  @Test
  void sumsAgainAndAgainOverTheSameRing() throws Exception {
    List<Double> results =
        ring.run(
            3,
            (rank, addresses) -> {
              double[] values = {1, 1, 1, 1};
              try (RingAllReduce allReduce = connect(rank, addresses)) {
                for (int round = 0; round < 20; round++) {
                  allReduce.sum(values);
                }
              }
              return values[3];
            });

    assertThat(results).containsOnly(Math.pow(3, 20));
  }

  @Test
  void namesTheNeighbourThatLeft() throws Exception {
    List<String> failures =
        ring.run(
            3,
            (rank, addresses) -> {
              try (RingAllReduce allReduce = connect(rank, addresses)) {
                return rank == 1 ? "left" : failureOf(allReduce);
              }
            });

    // Rank 2 reads from the rank that left, so it sees it first; rank 0 sends to it or hears later.
    assertThat(failures.get(2)).startsWith("java.io.IOException: rank 2 lost rank 1 at 127.");
    assertThat(failures.get(0)).startsWith("java.io.IOException: rank 0 lost rank ");
  }

  @Test
  void endsWhenANeighbourFallsSilent() throws Exception {
    CountDownLatch noticed = new CountDownLatch(1);
    List<String> failures =
        ring.run(
            2,
            (rank, addresses) -> {
              try (RingAllReduce allReduce =
                  RingAllReduce.connect(rank, addresses, Ring.PORT, Duration.ofMillis(500))) {
                if (rank == 1) {
                  noticed.await();
                  return "silent";
                }
                return failureOf(allReduce);
              } finally {
                noticed.countDown();
              }
            });

    assertThat(failures.get(0))
        .startsWith("java.net.SocketTimeoutException: rank 0 waited PT0.5S in vain: rank 1 at 127.")
        .endsWith("sent nothing");
  }

  @Test
  void namesTheNeighbourThatNeverCame() throws Exception {
    List<InetAddress> addresses = ring.addresses(2);

    assertThatThrownBy(() -> RingAllReduce.connect(0, addresses, Ring.PORT, Duration.ofMillis(200)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("rank 0 cannot connect to rank 1 at 127.")
        .hasMessageContaining("within PT0.2S");
  }

  @Test
  void refusesToSumArraysOfDifferentLengths() throws Exception {
    List<String> failures =
        ring.run(
            2,
            (rank, addresses) -> {
              try (RingAllReduce allReduce = connect(rank, addresses)) {
                return failureOf(allReduce, new double[rank + 1]);
              }
            });

    assertThat(failures.get(0)).contains("cannot sum 1 values: rank 1");
    assertThat(failures.get(1)).contains("cannot sum 2 values: rank 0");
  }

  @Test
  void refusesPlacesThatFormNoRing() throws Exception {
    InetAddress address = InetAddress.getLoopbackAddress();
    List<InetAddress> one = List.of(address);

    assertThatThrownBy(() -> new RingPlace(1, one, Ring.PORT)).hasMessageContaining("as rank 1");
    assertThatThrownBy(() -> new RingPlace(0, one, 29)).hasMessageContaining("on port 29");
    assertThatThrownBy(() -> new RingPlace(0, List.of(address, address), Ring.PORT))
        .hasMessageContaining("address of its own");
  }

  private static RingAllReduce connect(int rank, List<InetAddress> addresses) throws IOException {
    return RingAllReduce.connect(rank, addresses, Ring.PORT, Ring.LIMIT);
  }

  private static String failureOf(RingAllReduce allReduce) {
    return failureOf(allReduce, new double[100]);
  }

  private static String failureOf(RingAllReduce allReduce, double[] values) {
    try {
      allReduce.sum(values);
    } catch (IOException failure) {
      return failure.toString();
    }
    throw new AssertionError("the sum came out although a neighbour took no part");
  }

  private static double[] values(int rank, int length) {
    return new Random(SEED + rank).doubles(length).toArray();
  }

  private static double[] plainSum(int ranks, int length) {
    double[] sum = new double[length];
    for (int rank = 0; rank < ranks; rank++) {
      double[] values = values(rank, length);
      for (int index = 0; index < length; index++) {
        sum[index] += values[index];
      }
    }
    return sum;
  }
}
