// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.HeldLease;
import dev.clustered.spi.StateStore;
import dev.clustered.testkit.ForwardedStore;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeldLeaseTest {

  private static final Duration LENGTH = Duration.ofSeconds(10);
  private static final Duration HOUR = Duration.ofHours(1);

  private final SlowStore store = new SlowStore();

  /** A store whose answers take time, by the clock of the holder, which begins before zero. */
  private static final class SlowStore extends ForwardedStore {

    private long nanos = Long.MAX_VALUE - 5;
    private Duration answer = Duration.ZERO;
    private boolean broken;

    SlowStore() {
      super(new MemoryStore());
    }

    void pass(Duration time) {
      nanos += time.toNanos();
    }

    @Override
    public Optional<Lease> acquire(String engine, Duration length) {
      pass(answer);
      return super.acquire(engine, length);
    }

    @Override
    public boolean renew(Lease lease) {
      pass(answer);
      if (broken) {
        throw new ClusterException(ErrorCode.STORE_FAILED, "broken");
      }
      return super.renew(lease);
    }
  }

  private Optional<HeldLease> acquire(String engine) {
    return HeldLease.acquire(store, engine, LENGTH, () -> store.nanos);
  }

  @Test
  void isCountedFromBeforeTheCallThatGotIt() {
    store.answer = Duration.ofSeconds(4);
    HeldLease held = acquire("one").orElseThrow();
    assertThat(held.left()).isEqualTo(Duration.ofSeconds(6));
    store.pass(Duration.ofSeconds(6).minusNanos(1));
    assertThat(held.held()).isTrue();
    store.pass(Duration.ofNanos(1));
    assertThat(held.held()).isFalse();
    assertThat(held.left()).isZero();
  }

  @Test
  void isNoneWhenTheAnswerCameAfterItsEnd() {
    store.answer = LENGTH;
    assertThat(acquire("one")).isEmpty();
  }

  @Test
  void isCountedAnewFromBeforeTheCallThatRenewedIt() {
    HeldLease held = acquire("one").orElseThrow();
    store.pass(Duration.ofSeconds(5));
    store.answer = Duration.ofSeconds(3);
    assertThat(held.renew()).isTrue();
    assertThat(held.left()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void lastsAsLongAsBeforeWhenTheStoreFails() {
    HeldLease held = acquire("one").orElseThrow();
    store.pass(Duration.ofSeconds(2));
    store.broken = true;
    assertThatThrownBy(held::renew).isInstanceOf(ClusterException.class);
    assertThat(held.left()).isEqualTo(Duration.ofSeconds(8));
    store.pass(Duration.ofSeconds(8));
    assertThat(held.held()).isFalse();
  }

  @Test
  void staysLostWhenTheStoreSaysSo() {
    HeldLease held = acquire("one").orElseThrow();
    store.release(new StateStore.Lease("one", held.epoch(), LENGTH));
    assertThat(held.held()).isTrue();
    assertThat(held.renew()).isFalse();
    assertThat(held.left()).isZero();
    assertThat(store.acquire("two", HOUR)).isPresent();
    held.close();
    assertThat(store.holder().orElseThrow().engine()).isEqualTo("two");
  }

  @Test
  void isReleasedAtOnce() {
    HeldLease held = acquire("one").orElseThrow();
    assertThat(acquire("two")).isEmpty();
    held.close();
    held.close();
    assertThat(held.held()).isFalse();
    assertThat(acquire("two").orElseThrow().epoch()).isGreaterThan(held.epoch());
  }
}
