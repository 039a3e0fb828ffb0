// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a {@link StateStore} keeps that outlives its process and is shared by several. Not
 * thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class DurableStoreContract {

  private static final Duration LONG = Duration.ofMinutes(5);

  /** For subclasses. */
  protected DurableStoreContract() {}

  /** The same store whenever it is called in one test, and an empty one at first. */
  protected abstract StateStore store() throws Exception;

  @Test
  void hasEverythingWhenItIsOpenedAgain() throws Exception {
    StateStore.Lease lease;
    try (StateStore store = store()) {
      lease = store.acquire("one", LONG).orElseThrow();
      store.append(lease.epoch(), List.of("\"a\"", "\"b\"", "\"größer\""));
      store.compact(lease.epoch(), 1, "\"state\"");
    }
    try (StateStore store = store()) {
      assertThat(store.snapshot()).contains(new StateStore.Snapshot(1, "\"state\""));
      assertThat(store.read(2, 10))
          .containsExactly(new StateStore.Entry(2, "\"b\""), new StateStore.Entry(3, "\"größer\""));
      assertThat(store.holder().orElseThrow().engine()).isEqualTo("one");
      assertThat(store.renew(lease)).isTrue();
      assertThat(store.append(lease.epoch(), List.of("{}"))).isEqualTo(4);
      store.release(lease);
    }
    try (StateStore store = store()) {
      assertThat(store.acquire("two", LONG).orElseThrow().epoch()).isGreaterThan(lease.epoch());
    }
  }

  @Test
  void isOpenSeveralTimesWithOneHolder() throws Exception {
    try (StateStore active = store();
        StateStore standby = store()) {
      StateStore.Lease lease = active.acquire("active", LONG).orElseThrow();
      assertThat(standby.acquire("standby", LONG)).isEmpty();
      active.append(lease.epoch(), List.of("\"a\""));
      assertThat(standby.read(1, 10)).containsExactly(new StateStore.Entry(1, "\"a\""));
      active.release(lease);
      StateStore.Lease next = standby.acquire("standby", LONG).orElseThrow();
      assertThatThrownBy(() -> active.append(lease.epoch(), List.of("\"late\"")))
          .isInstanceOfSatisfying(
              ClusterException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_DEPOSED));
      assertThat(standby.append(next.epoch(), List.of("\"b\""))).isEqualTo(2);
      assertThat(active.read(2, 10)).containsExactly(new StateStore.Entry(2, "\"b\""));
    }
  }

  @Test
  void isOpenedByManyAtOnceWhoWriteWithoutAGap() throws Exception {
    int writers = 4;
    int appends = 25;
    List<Long> positions = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      List<Future<List<Long>>> all = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        all.add(threads.submit(() -> openAndAppend(appends)));
      }
      for (Future<List<Long>> one : all) {
        positions.addAll(one.get(60, TimeUnit.SECONDS));
      }
    }
    assertThat(positions)
        .containsExactlyInAnyOrderElementsOf(
            LongStream.rangeClosed(1, (long) writers * appends).boxed().toList());
  }

  private List<Long> openAndAppend(int appends) throws Exception {
    List<Long> positions = new ArrayList<>();
    try (StateStore store = store()) {
      for (int i = 0; i < appends; i++) {
        positions.add(store.append(1, List.of("{}")));
      }
    }
    return positions;
  }

  @Test
  void refusesEntriesThatAnotherHasCompacted() throws Exception {
    try (StateStore active = store();
        StateStore standby = store()) {
      active.append(1, List.of("1", "2", "3"));
      assertThat(standby.read(1, 1)).hasSize(1);
      active.compact(1, 2, "\"two\"");
      assertThatThrownBy(() -> standby.read(2, 1))
          .isInstanceOfSatisfying(
              ClusterException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.JOURNAL_COMPACTED));
      assertThat(standby.snapshot()).contains(new StateStore.Snapshot(2, "\"two\""));
      assertThat(standby.read(3, 10)).containsExactly(new StateStore.Entry(3, "3"));
    }
  }
}
