// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.CapacityException;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@code CapacityProvider} keeps when several threads use it at once and when they are
 * interrupted. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class CapacityRaceContract {

  private static final int INTERRUPTS = 10;
  private static final int LONGEST_DELAY_NANOS = 30_000_000;

  @TempDir private Path directory;
  private TestedBackend tested;

  /** For subclasses. */
  protected CapacityRaceContract() {}

  /** The backend's factory. */
  protected abstract BackendFactory factory();

  /** As in {@link CapacityContract#settings}. */
  protected Map<String, String> settings() {
    return Map.of();
  }

  /** As in {@link CapacityContract#bootstrapDocument}. */
  protected abstract String bootstrapDocument(NodeId node);

  @BeforeEach
  void open() {
    tested = TestedBackend.open(factory(), settings(), directory, this::bootstrapDocument);
  }

  @AfterEach
  void close() {
    tested.close();
  }

  @Test
  void neverGrantsMoreThanTheLimitToConcurrentLaunches() throws Exception {
    Offer offer = tested.offerFor(2);
    assertThat(offer.available())
        .as("the contract needs a known limit of %s", offer)
        .isLessThan(65);
    List<Callable<Integer>> launches = new ArrayList<>();
    for (int i = 0; i < offer.available() + 2; i++) {
      LaunchRequest request = tested.request("race-" + i, offer, 1 + i % 2);
      launches.add(() -> granted(request));
    }
    int granted = together(launches).stream().mapToInt(Integer::intValue).sum();
    assertThat(granted).isBetween(1, offer.available());
    assertThat(tested.alive("owner-a")).hasSize(granted);
  }

  @Test
  void givesConcurrentCallsOfOneLaunchOneAnswer() throws Exception {
    LaunchRequest request = tested.request("one", tested.offerFor(2), 2);
    List<Callable<List<String>>> launches = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      launches.add(() -> TestedBackend.ids(tested.capacity().launch(request)));
    }
    List<List<String>> answers = together(launches);
    assertThat(answers).containsOnly(answers.getFirst());
    assertThat(tested.alive("owner-a")).hasSize(2);
  }

  @Test
  void leavesAllOrNothingWhenALaunchIsInterrupted() throws InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < INTERRUPTS; i++) {
      LaunchRequest request = tested.request("cut-" + i, tested.offerFor(2), 2);
      interruptAfter(i == 0 ? 0 : random.nextInt(LONGEST_DELAY_NANOS), request);
      List<Instance> alive = tested.alive("owner-a");
      assertThat(alive).as("alive after interrupt %d of seed %d", i, seed).isEmpty();
    }
  }

  /** Ends what the launch granted, if it did, and leaves what it left when it was interrupted. */
  private void interruptAfter(int delayNanos, LaunchRequest request) throws InterruptedException {
    List<Instance> granted = new CopyOnWriteArrayList<>();
    Thread launcher =
        Thread.ofPlatform()
            .name("contract-launcher")
            .start(
                () -> {
                  try {
                    granted.addAll(tested.capacity().launch(request));
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    LockSupport.parkNanos(delayNanos);
    launcher.interrupt();
    launcher.join();
    tested.terminate(granted);
  }

  private int granted(LaunchRequest request) throws InterruptedException {
    try {
      return tested.capacity().launch(request).size();
    } catch (CapacityException refused) {
      assertThat(refused.asked()).isEqualTo(request.nodes().size());
      return 0;
    }
  }

  private static <T> List<T> together(List<Callable<T>> calls)
      throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newFixedThreadPool(calls.size())) {
      List<T> answers = new ArrayList<>();
      for (Future<T> answer : threads.invokeAll(calls)) {
        answers.add(answer.get());
      }
      return answers;
    }
  }
}
