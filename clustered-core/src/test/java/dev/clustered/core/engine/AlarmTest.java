// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.engine.logs.LogStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AlarmTest {

  private final AtomicLong nanos = new AtomicLong();
  private final Timers timers = new Timers(nanos::get);
  private final AtomicInteger rang = new AtomicInteger();
  private final Alarm alarm = new Alarm(timers, rang::incrementAndGet);
  private final EventDispatcher dispatcher = new EventDispatcher();
  private final EngineCore core = core();

  private EngineCore core() {
    LogStore logs = new LogStore(Path.of("never-used"));
    EngineConfig config = Configs.of(Path.of("never-used"));
    Completions completions =
        new Completions(
            dispatcher,
            List.of(),
            logs,
            record -> {
              throw new AssertionError("no cluster becomes ready here: " + record.id);
            },
            forgotten -> {});
    return new EngineCore(config, new Ids("test"), timers, completions, () -> {});
  }

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void ringsOnceHoweverOftenItIsSet() {
    for (int i = 0; i < 1_000; i++) {
      alarm.after(Duration.ofNanos(10));
    }
    nanos.set(10);
    assertThat(rung()).isEqualTo(1);
    assertThat(timers.untilNext()).isEmpty();
  }

  @Test
  void canBeSetAgainAfterItRang() {
    alarm.after(Duration.ofNanos(10));
    nanos.set(10);
    int first = rung();
    alarm.after(Duration.ofNanos(10));
    nanos.set(20);
    assertThat(rung()).isEqualTo(first + 1);
  }

  private int rung() {
    for (var due = timers.due(); due.isPresent(); due = timers.due()) {
      due.get().on(core);
    }
    return rang.get();
  }
}
