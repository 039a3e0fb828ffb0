// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.HeldLease;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the lease of every {@link StateStore} keeps: one engine holds it, as long as it renews it,
 * and whoever comes next deposes it for good. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class StoreLeaseContract {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int CONTENDERS = 12;

  private StateStore store;

  /** For subclasses. */
  protected StoreLeaseContract() {}

  /** A new store without a lease; the contract closes it. */
  protected abstract StateStore store() throws Exception;

  @BeforeEach
  void open() throws Exception {
    store = store();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private StateStore.Lease lease(String engine, Duration length) {
    return store.acquire(engine, length).orElseThrow();
  }

  /** The lease that an engine gets as soon as that of another has run out. */
  private StateStore.Lease next(String engine) {
    List<StateStore.Lease> found = new ArrayList<>();
    Eventually.within(LIMIT).passes(() -> found.add(lease(engine, LONG)));
    return found.getFirst();
  }

  @Test
  void goesToExactlyOneOfManyThatAsk() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<StateStore.Lease> given = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CONTENDERS)) {
      List<Callable<Optional<StateStore.Lease>>> asking =
          IntStream.range(0, CONTENDERS)
              .<Callable<Optional<StateStore.Lease>>>mapToObj(
                  i ->
                      () -> {
                        go.await();
                        return store.acquire("engine-" + i, LONG);
                      })
              .toList();
      List<Future<Optional<StateStore.Lease>>> answers =
          asking.stream().map(threads::submit).toList();
      go.countDown();
      for (Future<Optional<StateStore.Lease>> answer : answers) {
        answer.get(60, TimeUnit.SECONDS).ifPresent(given::add);
      }
    }
    assertThat(given).hasSize(1);
    assertThat(store.holder().orElseThrow())
        .returns(given.getFirst().engine(), StateStore.LeaseView::engine)
        .returns(given.getFirst().epoch(), StateStore.LeaseView::epoch);
  }

  @Test
  void saysWhoHoldsItAndForHowLong() {
    assertThat(store.holder()).isEmpty();
    StateStore.Lease lease = lease("größe-1", LONG);
    StateStore.LeaseView view = store.holder().orElseThrow();
    assertThat(view.engine()).isEqualTo("größe-1").isEqualTo(lease.engine());
    assertThat(view.left()).isBetween(LONG.minusSeconds(60), LONG.plusSeconds(1));
    assertThat(store.acquire("other", LONG)).isEmpty();
    assertThat(store.acquire("größe-1", LONG)).isEmpty();
  }

  @Test
  void hasAnEpochAboveAllThatWroteBefore() {
    store.append(41, List.of("{}"));
    StateStore.Lease lease = lease("one", LONG);
    assertThat(lease.epoch()).isGreaterThan(41);
    assertThatThrownBy(() -> store.append(41, List.of("{}")))
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_DEPOSED));
    assertThat(store.append(lease.epoch(), List.of("{}"))).isEqualTo(2);
  }

  @Test
  void staysWithWhoRenewsIt() {
    StateStore.Lease lease = lease("one", Duration.ofSeconds(1));
    long end = System.nanoTime() + Duration.ofMillis(2_500).toNanos();
    // Each look renews it, long after the first length is over.
    Eventually.within(LIMIT)
        .passes(
            () -> {
              assertThat(store.renew(lease)).isTrue();
              assertThat(store.acquire("two", LONG)).isEmpty();
              assertThat(System.nanoTime() - end).as("nanoseconds over the end").isPositive();
            });
    assertThat(store.append(lease.epoch(), List.of("{}"))).isEqualTo(1);
  }

  @Test
  void isTakenOverWhenItRanOutAndItsHolderIsDeposed() {
    StateStore.Lease first = lease("one", SHORT);
    store.append(first.epoch(), List.of("\"first\""));
    StateStore.Lease second = next("two");
    assertThat(second.epoch()).isGreaterThan(first.epoch());
    assertThatThrownBy(() -> store.append(first.epoch(), List.of("\"late\"")))
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_DEPOSED));
    assertThat(store.renew(first)).isFalse();
    store.release(first);
    assertThat(store.holder().orElseThrow().engine()).isEqualTo("two");
    assertThat(store.read(1, 10)).hasSize(1);
  }

  @Test
  void cannotBeRenewedWhenItRanOut() {
    StateStore.Lease lease = lease("one", SHORT);
    Eventually.within(LIMIT).passes(() -> assertThat(store.holder()).isEmpty());
    assertThat(store.renew(lease)).isFalse();
    assertThat(store.append(lease.epoch(), List.of("{}"))).isEqualTo(1);
  }

  @Test
  void goesToTheNextAtOnceWhenItIsReleased() {
    StateStore.Lease first = lease("one", LONG);
    store.release(first);
    store.release(first);
    assertThat(store.holder()).isEmpty();
    assertThat(store.renew(first)).isFalse();
    assertThat(lease("two", LONG).epoch()).isGreaterThan(first.epoch());
  }

  @Test
  void endsByTheClockOfItsHolderBeforeAnotherGetsIt() {
    HeldLease held = HeldLease.acquire(store, "one", SHORT).orElseThrow();
    assertThat(held.held()).isTrue();
    assertThat(held.epoch()).isPositive();
    StateStore.Lease second = next("two");
    assertThat(held.held()).isFalse();
    assertThat(held.renew()).isFalse();
    assertThat(second.epoch()).isGreaterThan(held.epoch());
    held.close();
    assertThat(store.holder().orElseThrow().engine()).isEqualTo("two");
  }

  @Test
  void takesNoLengthOrNameThatMeansNothing() {
    for (Duration length : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(366))) {
      assertThatThrownBy(() -> store.acquire("one", length))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(length.toString());
    }
    assertThatThrownBy(() -> store.acquire(" ", LONG)).isInstanceOf(IllegalArgumentException.class);
    assertThat(store.holder()).isEmpty();
  }
}
