// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    String id = fixture.id + "-" + number;
    try (ProcessScope scope = fixture.supervisor.scope(id, fixture.directory)) {
      for (String executable : List.of("sleep", "no-such-program")) {
        scope.start(
            new ProcessSpec(
                List.of(executable, "1000"),
                Map.copyOf(Fixture.PATH),
                fixture.directory,
                fixture.output(),
                fixture.directory));
      }
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
