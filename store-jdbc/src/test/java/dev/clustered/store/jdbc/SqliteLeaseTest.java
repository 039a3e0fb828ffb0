// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The lease in a file: its clock, and how it gets through between appends. */
@ExtendWith(NothingLeft.class)
class SqliteLeaseTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final int WRITERS = 8;

  @TempDir private Path directory;

  private StateStore open(BootClock clock) {
    return SqliteStore.open(directory.resolve("journal.db"), clock);
  }

  private BootClock booted(String boot, String uptime) throws IOException {
    Files.writeString(directory.resolve("boot"), boot + "\n");
    Files.writeString(directory.resolve("uptime"), uptime + " 4.00\n");
    return new BootClock(directory.resolve("uptime"), directory.resolve("boot"));
  }

  @Test
  void isCountedByTheTimeSinceTheBoot() throws IOException {
    try (StateStore store = open(booted("first", "1000.50"))) {
      assertThat(store.acquire("one", HOUR)).isPresent();
      booted("first", "4600.45");
      assertThat(store.holder().orElseThrow().left()).isLessThan(Duration.ofSeconds(5));
      assertThat(store.acquire("two", HOUR)).isEmpty();
      booted("first", "4700.00");
      assertThat(store.holder()).isEmpty();
      assertThat(store.acquire("two", HOUR)).isPresent();
    }
  }

  @Test
  void endsWithTheBoot() throws IOException {
    try (StateStore store = open(booted("first", "1000.50"))) {
      StateStore.Lease first = store.acquire("one", HOUR).orElseThrow();
      booted("second", "3.00");
      assertThat(store.holder()).isEmpty();
      assertThat(store.renew(first)).isFalse();
      assertThat(store.acquire("two", HOUR).orElseThrow().epoch()).isGreaterThan(first.epoch());
    }
  }

  @Test
  void readsTheClockOfThisMachineWithoutItsWallClock() throws Exception {
    Moment before = new BootClock().now();
    Moment after = new BootClock().now();
    assertThat(after.clock()).isEqualTo(before.clock());
    assertThat(after.micros()).isBetween(before.micros(), before.micros() + 10_000_000);
    if (System.getProperty("os.name").equals("Linux")) {
      assertThat(before.clock()).hasSize(36);
      String uptime = Files.readString(Path.of("/proc/uptime")).split("[.]", -1)[0];
      long seconds = TimeUnit.MICROSECONDS.toSeconds(before.micros());
      assertThat(Long.parseLong(uptime)).isBetween(seconds, seconds + 10);
    }
    BootClock blind = new BootClock(directory.resolve("none"), directory.resolve("none"));
    assertThat(blind.now().clock()).isEqualTo("wall clock");
  }

  @Test
  void isRenewedWhileManyAppend() throws Exception {
    try (StateStore store = open(new BootClock());
        Writers writers = new Writers(store, 1)) {
      StateStore.Lease lease = store.acquire("one", Duration.ofSeconds(2)).orElseThrow();
      long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
      Eventually.within(Duration.ofSeconds(30))
          .passes(
              () -> {
                assertThat(store.renew(lease)).isTrue();
                assertThat(System.nanoTime() - end).isPositive();
              });
      assertThat(writers.deposed()).isEqualTo(WRITERS);
    }
  }

  @Test
  void isTakenOverWhileTheHolderThatLostItAppends() throws Exception {
    try (StateStore active = open(new BootClock());
        StateStore standby = open(new BootClock())) {
      StateStore.Lease lease = active.acquire("one", Duration.ofMillis(200)).orElseThrow();
      try (Writers writers = new Writers(active, lease.epoch())) {
        Eventually.within(Duration.ofSeconds(30))
            .passes(() -> assertThat(standby.acquire("two", HOUR)).isPresent());
        assertThat(writers.deposed()).isEqualTo(WRITERS);
      }
    }
  }

  /** Threads that append as fast as they can until they are deposed. */
  private static final class Writers implements AutoCloseable {

    private final AtomicBoolean over = new AtomicBoolean();
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    private final List<Future<Boolean>> all = new ArrayList<>();

    Writers(StateStore store, long epoch) {
      for (int i = 0; i < WRITERS; i++) {
        all.add(threads.submit(() -> append(store, epoch)));
      }
    }

    private boolean append(StateStore store, long epoch) {
      try {
        while (!over.get()) {
          store.append(epoch, List.of("{}"));
        }
        return false;
      } catch (ClusterException e) {
        return e.code() == ErrorCode.ENGINE_DEPOSED;
      }
    }

    /** How many were deposed, when all have ended. */
    int deposed() throws Exception {
      int deposed = 0;
      for (Future<Boolean> one : all) {
        deposed += one.get(30, TimeUnit.SECONDS) ? 1 : 0;
      }
      return deposed;
    }

    @Override
    public void close() {
      over.set(true);
      threads.close();
    }
  }
}
