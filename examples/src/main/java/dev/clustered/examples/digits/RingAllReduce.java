// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An all-reduce in which every rank talks to its two neighbours only.
 *
 * <p>The array is cut into one chunk per rank. In the first half each chunk travels the ring once
 * and collects every rank's part, in the second half the finished chunks travel it again. So each
 * rank sends about twice the array, however many ranks there are, and each chunk is summed in one
 * order, by one rank after the other: the results are equal bit for bit. Not thread-safe.
 */
final class RingAllReduce implements AllReduce, AutoCloseable {
  private final RingPlace place;
  private final @Nullable RingLink link;
  private double[] received = new double[0];

  private RingAllReduce(RingPlace place, @Nullable RingLink link) {
    this.place = place;
    this.link = link;
  }

  /**
   * Joins the ring: listens on the rank's own address and connects from it to the next rank, until
   * both neighbours are there. A ring of one rank opens nothing.
   *
   * @param limit how long to wait for the neighbours here, and later for a silent one
   * @throws IOException naming the neighbour that did not come in time
   */
  static RingAllReduce connect(int rank, List<InetAddress> addresses, int port, Duration limit)
      throws IOException {
    RingPlace place = new RingPlace(rank, addresses, port);
    if (place.size() == 1) {
      return new RingAllReduce(place, null);
    }
    return new RingAllReduce(place, RingConnector.open(place, limit));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IOException naming the neighbour that closed its connection, fell silent or sums an
   *     array of another length; the ring is closed then
   */
  @Override
  public void sum(double[] values) throws IOException {
    if (link == null) {
      return;
    }
    try {
      agreeOnLength(link, values.length);
      reduceScatter(link, values);
      allGather(link, values);
    } catch (IOException failure) {
      link.close();
      throw failure;
    }
  }

  private void agreeOnLength(RingLink link, int length) throws IOException {
    double[] lengths = {length, 0};
    link.exchange(lengths, new Chunk(0, 1), lengths, new Chunk(1, 2));
    if (lengths[1] != length) {
      throw new IOException(
          "rank %d cannot sum %d values: %s sums %d; every rank has to give as many"
              .formatted(
                  place.rank(), length, place.describe(place.previous()), (long) lengths[1]));
    }
  }

  private void reduceScatter(RingLink link, double[] values) throws IOException {
    for (int step = 0; step < place.size() - 1; step++) {
      Chunk target = chunk(values.length, place.rank() - step - 1);
      makeRoom(target.length());
      link.exchange(values, chunk(values.length, place.rank() - step), received, target.fromZero());
      for (int index = 0; index < target.length(); index++) {
        values[target.start() + index] += received[index];
      }
    }
  }

  private void allGather(RingLink link, double[] values) throws IOException {
    for (int step = 0; step < place.size() - 1; step++) {
      Chunk finished = chunk(values.length, place.rank() + 1 - step);
      link.exchange(values, finished, values, chunk(values.length, place.rank() - step));
    }
  }

  private Chunk chunk(int length, int number) {
    return Chunk.of(length, Math.floorMod(number, place.size()), place.size());
  }

  private void makeRoom(int length) {
    if (received.length < length) {
      received = new double[length];
    }
  }

  /** Leaves the ring; a second call does nothing. */
  @Override
  public void close() throws IOException {
    if (link != null) {
      link.close();
    }
  }
}
