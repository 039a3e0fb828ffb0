// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the journal of every {@link StateStore} keeps: order without a gap, all or none, fencing by
 * epochs, and snapshots in the place of entries. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class StoreContract {

  private static final int MEBIBYTE = 1 << 20;

  private StateStore store;

  /** For subclasses. */
  protected StoreContract() {}

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

  private static void refused(ErrorCode code, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ClusterException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(words);
  }

  private static List<String> numbered(int events) {
    return IntStream.rangeClosed(1, events).mapToObj(i -> "{\"n\":" + i + "}").toList();
  }

  @Test
  void givesPositionsFromOneAndReadsInTheirOrder() {
    assertThat(store.read(1, 10)).isEmpty();
    assertThat(store.append(1, List.of("\"a\"", "\"b\""))).isEqualTo(2);
    assertThat(store.append(1, List.of("\"c\""))).isEqualTo(3);
    assertThat(store.read(1, 10))
        .containsExactly(
            new StateStore.Entry(1, "\"a\""),
            new StateStore.Entry(2, "\"b\""),
            new StateStore.Entry(3, "\"c\""));
    assertThat(store.read(2, 1)).containsExactly(new StateStore.Entry(2, "\"b\""));
  }

  @Test
  void isFollowedFromThePositionAfterTheLastOneRead() {
    store.append(1, numbered(3));
    assertThat(store.read(4, 10)).isEmpty();
    assertThat(store.append(1, List.of())).isEqualTo(3);
    assertThat(store.read(4, 10)).isEmpty();
    store.append(1, List.of("{}"));
    assertThat(store.read(4, 10)).containsExactly(new StateStore.Entry(4, "{}"));
  }

  @Test
  void refusesAnOlderEpochAtOnceAndKeepsNothingOfIt() {
    store.append(3, numbered(2));
    refused(ErrorCode.ENGINE_DEPOSED, () -> store.append(2, List.of("\"late\"")), "2", "3");
    refused(ErrorCode.ENGINE_DEPOSED, () -> store.append(2, List.of()), "2", "3");
    refused(ErrorCode.ENGINE_DEPOSED, () -> store.compact(2, 1, "\"late\""), "2", "3");
    assertThat(store.snapshot()).isEmpty();
    assertThat(store.read(1, 10)).hasSize(2);
    store.append(7, List.of());
    refused(ErrorCode.ENGINE_DEPOSED, () -> store.append(3, List.of("\"late\"")), "3", "7");
    assertThat(store.append(7, List.of("\"new\""))).isEqualTo(3);
  }

  @Test
  void keepsEveryCharacterAndMegabytes() {
    String letters = "{\"text\":\"größer 漢字 🚀 \\u0000 \t\u007f\u2028 'x' \\\\ ?\"}";
    String large = "[\"" + "ü7".repeat(5 * MEBIBYTE / 3) + "\"]";
    store.append(1, List.of(letters, large, letters));
    assertThat(store.read(1, 10))
        .extracting(StateStore.Entry::json)
        .containsExactly(letters, large, letters);
    store.compact(1, 2, large + letters);
    assertThat(store.snapshot()).contains(new StateStore.Snapshot(2, large + letters));
  }

  @Test
  void refusesWhatIsNoTextWithAllThatCameWithIt() {
    for (String bad : List.of("\"a\0b\"", "\"\ud83d\"", "\"\ude80x\"", "\"\ude80\ud83d\"")) {
      assertThatThrownBy(() -> store.append(1, List.of("{}", bad)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("surrogate");
      assertThatThrownBy(() -> store.compact(1, 1, bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(store.read(1, 10)).isEmpty();
  }

  @Test
  void putsASnapshotInThePlaceOfEntriesAndGoesOn() {
    store.append(1, numbered(12_000));
    store.compact(1, 11_998, "\"state\"");
    assertThat(store.snapshot()).contains(new StateStore.Snapshot(11_998, "\"state\""));
    refused(ErrorCode.JOURNAL_COMPACTED, () -> store.read(11_998, 1), "11998", "snapshot");
    refused(ErrorCode.JOURNAL_COMPACTED, () -> store.read(1, 1), "11998", "snapshot");
    assertThat(store.read(11_999, 10))
        .extracting(StateStore.Entry::position)
        .containsExactly(11_999L, 12_000L);
    assertThat(store.append(1, List.of("{}"))).isEqualTo(12_001);
    store.compact(1, 12_001, "\"later\"");
    assertThat(store.snapshot()).contains(new StateStore.Snapshot(12_001, "\"later\""));
    assertThat(store.read(12_002, 10)).isEmpty();
    refused(ErrorCode.JOURNAL_COMPACTED, () -> store.read(12_001, 1), "12001");
    assertThat(store.append(1, List.of("{}"))).isEqualTo(12_002);
  }

  @Test
  void refusesASnapshotOfNoEntry() {
    store.append(1, numbered(5));
    store.compact(1, 3, "\"three\"");
    for (long position : new long[] {-1, 0, 2, 6}) {
      assertThatThrownBy(() -> store.compact(1, position, "{}"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("3 to 5", "" + position);
    }
    assertThat(store.snapshot()).contains(new StateStore.Snapshot(3, "\"three\""));
    assertThat(store.read(4, 10)).hasSize(2);
  }

  @Test
  void writesInSpiteOfAnInterruptAndKeepsIt() {
    Thread.currentThread().interrupt();
    long position = store.append(1, List.of("{}"));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(position).isEqualTo(1);
    assertThat(store.read(1, 10)).hasSize(1);
  }

  @Test
  void closesOnceAndRefusesUseAfterIt() {
    store.append(1, List.of("{}"));
    store.close();
    store.close();
    refused(ErrorCode.ENGINE_CLOSED, () -> store.append(1, List.of("{}")), "closed");
    refused(ErrorCode.ENGINE_CLOSED, () -> store.read(1, 1), "closed");
    refused(ErrorCode.ENGINE_CLOSED, () -> store.compact(1, 1, "{}"), "closed");
    refused(ErrorCode.ENGINE_CLOSED, () -> store.snapshot(), "closed");
    refused(ErrorCode.ENGINE_CLOSED, () -> store.holder(), "closed");
  }
}
