// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrphanReaperTest {
  @TempDir Path directory;

  @Test
  void waitsForAdoptedProcesses() {
    try (OrphanReaper reaper = OrphanReaper.open();
        Fixture fixture = new Fixture(directory)) {
      assertThat(reaper).isNotNull();
      RankProcess process =
          fixture.start("sh", "-c", "setsid sh -c 'echo $$ >orphan; sleep 0.2' & sleep 0.1");
      int orphan = fixture.pidIn("orphan");

      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Code(0));

      assertThat(ProcessTable.readStat(orphan).map(ProcessEntry::parent).orElse(self()))
          .isEqualTo(self());
      Await.until(
          "the orphan is waited for", Fixture.LIMIT, () -> ProcessTable.readStat(orphan).isEmpty());
    }
  }

  @Test
  void theEndOfAScopeWaitsForItsAdoptedProcesses() {
    LibC.prctl(LibC.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    try (Fixture fixture = new Fixture(directory, Optional.empty())) {
      RankProcess process =
          fixture.start("sh", "-c", "setsid sh -c 'echo $$ >orphan; sleep 1000; :' & exit 0");
      int orphan = fixture.pidIn("orphan");
      Fixture.exit(process);

      fixture.scope.terminate(Duration.ZERO);

      assertThat(ProcessTable.readStat(orphan)).isEmpty();
    } finally {
      LibC.prctl(LibC.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    }
  }

  private static int self() {
    return Math.toIntExact(ProcessHandle.current().pid());
  }
}
