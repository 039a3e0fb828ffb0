// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessLeakTest {
  @TempDir Path directory;

  @Test
  void aHundredRoundsLeaveNeitherThreadsNorOpenFiles() {
    try (Fixture fixture = new Fixture(directory)) {
      round(fixture, 0);
      long threads = threads();
      int descriptors = descriptors();

      for (int number = 1; number <= 100; number++) {
        round(fixture, number);
      }

      Await.until("threads have ended", Fixture.LIMIT, () -> threads() <= threads);
      assertThat(descriptors()).isLessThanOrEqualTo(descriptors + 2);
    }
  }

  @Test
  void closingASupervisorLeavesNoZombieAndNoThread() {
    try (Fixture fixture = new Fixture(directory)) {
      fixture.start("sleep", "1000");
    }
    int self = Math.toIntExact(ProcessHandle.current().pid());
    assertThat(ProcessTable.read().entries().values())
        .noneMatch(entry -> entry.parent() == self && entry.zombie());
    Await.until("threads have ended", Fixture.LIMIT, () -> threads() == 0);
  }

  private void round(Fixture fixture, int number) {
    try (ProcessScope scope = fixture.another(Integer.toString(number))) {
      assertThat(scope.start(fixture.spec("sleep", "1000")))
          .isInstanceOf(StartResult.Started.class);
      assertThat(scope.start(fixture.spec("no-such-program")))
          .isInstanceOf(StartResult.NotStarted.class);
      scope.terminate(Duration.ofSeconds(5));
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("clustered-"))
        .count();
  }

  private static int descriptors() {
    String[] names = new File("/proc/self/fd").list();
    return names == null ? 0 : names.length;
  }
}
