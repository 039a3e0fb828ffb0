// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What every {@link StateStore} keeps when many threads append. Not thread-safe. */
@ExtendWith(NothingLeft.class)
public abstract class StoreWritersContract {

  private static final int WRITERS = 8;

  private StateStore store;

  /** For subclasses. */
  protected StoreWritersContract() {}

  /** A new store without an entry; the contract closes it. */
  protected abstract StateStore store() throws Exception;

  @BeforeEach
  void open() throws Exception {
    store = store();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void keepsAppendsOfManyThreadsWholeAndWithoutAGap() throws Exception {
    int appends = 40;
    List<List<Long>> ends =
        together(
            writer -> {
              List<Long> positions = new ArrayList<>();
              for (int i = 0; i < appends; i++) {
                String event = "{\"writer\":%d,\"append\":%d,".formatted(writer, i);
                positions.add(store.append(1, List.of(event + "\"at\":0}", event + "\"at\":1}")));
              }
              return positions;
            });
    List<StateStore.Entry> all = store.read(1, Integer.MAX_VALUE);
    assertThat(all)
        .extracting(StateStore.Entry::position)
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, 2L * WRITERS * appends).boxed().toList());
    for (int writer = 0; writer < WRITERS; writer++) {
      assertThat(ends.get(writer)).isSorted().doesNotHaveDuplicates();
      for (int i = 0; i < appends; i++) {
        String event = "{\"writer\":%d,\"append\":%d,".formatted(writer, i);
        int end = Math.toIntExact(ends.get(writer).get(i));
        assertThat(all.get(end - 2).json()).isEqualTo(event + "\"at\":0}");
        assertThat(all.get(end - 1).json()).isEqualTo(event + "\"at\":1}");
      }
    }
  }

  @Test
  void refusesAnOlderEpochAmongWritersOfANewerOne() throws Exception {
    store.append(2, List.of("{}"));
    List<Integer> kept =
        together(
            writer -> {
              int appended = 0;
              for (int i = 0; i < 30; i++) {
                try {
                  store.append(1 + writer % 2, List.of("" + writer % 2));
                  appended++;
                } catch (ClusterException e) {
                  assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_DEPOSED);
                }
              }
              return appended;
            });
    assertThat(kept).containsExactly(0, 30, 0, 30, 0, 30, 0, 30);
    assertThat(store.read(2, 1_000)).hasSize(120).allMatch(entry -> entry.json().equals("1"));
  }

  /** Some append while others read to the end; who reads sees entries in order, without a gap. */
  @Test
  void showsReadersNothingButWholeAppendsInOrder() throws Exception {
    int appends = 60;
    List<Long> seen =
        together(
            writer -> {
              if (writer % 2 == 0) {
                for (int i = 0; i < appends; i++) {
                  store.append(1, List.of("0", "1", "2"));
                }
                return 0L;
              }
              return follow(3L * appends * WRITERS / 2);
            });
    assertThat(seen).containsExactly(0L, 720L, 0L, 720L, 0L, 720L, 0L, 720L);
  }

  private long follow(long end) {
    long last = 0;
    while (last < end) {
      for (StateStore.Entry entry : store.read(last + 1, 7)) {
        assertThat(entry).isEqualTo(new StateStore.Entry(last + 1, "" + last % 3));
        last++;
      }
    }
    return last;
  }

  /** What a thread of a number does. */
  private interface Writing<T> {
    T by(int writer);
  }

  private static <T> List<T> together(Writing<T> writing) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<T> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        Callable<T> task =
            () -> {
              go.await();
              return writing.by(writer);
            };
        futures.add(threads.submit(task));
      }
      go.countDown();
      for (Future<T> future : futures) {
        results.add(future.get(60, TimeUnit.SECONDS));
      }
    }
    return results;
  }
}
