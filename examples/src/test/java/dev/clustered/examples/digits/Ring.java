// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A ring whose ranks are threads of this test, on loopback addresses no other test uses. */
final class Ring {
  static final int PORT = 21_797;
  static final Duration LIMIT = Duration.ofSeconds(20);

  private final AtomicInteger rings = new AtomicInteger();

  /** What one rank does in its thread. */
  interface Work<T> {
    T run(int rank, List<InetAddress> addresses) throws Exception;
  }

  /** A fresh address for each rank: the process id keeps test runs side by side apart. */
  List<InetAddress> addresses(int ranks) throws UnknownHostException {
    long process = ProcessHandle.current().pid();
    int ring = rings.incrementAndGet();
    List<InetAddress> addresses = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      byte[] address = {
        127, (byte) (100 + process / 250 % 100), (byte) (process % 250), (byte) (ring * 16 + rank)
      };
      addresses.add(InetAddress.getByAddress(address));
    }
    return addresses;
  }

  /** Runs the work of every rank at once and returns the results in rank order. */
  <T> List<T> run(int ranks, Work<T> work) throws Exception {
    List<InetAddress> addresses = addresses(ranks);
    try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
      List<Future<T>> running = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        int number = rank;
        running.add(threads.submit(() -> work.run(number, addresses)));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> result : running) {
        results.add(result.get(LIMIT.toSeconds() * 3, TimeUnit.SECONDS));
      }
      return results;
    } catch (ExecutionException failure) {
      throw failure.getCause() instanceof Exception cause ? cause : failure;
    }
  }
}
