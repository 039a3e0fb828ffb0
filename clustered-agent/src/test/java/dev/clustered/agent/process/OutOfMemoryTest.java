// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ByteSize;
import dev.clustered.model.OutOfMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the files of a cgroup say of a lack of memory. */
class OutOfMemoryTest {

  @TempDir private Path directory;

  private Optional<OutOfMemory> read() {
    return Cgroup.at(directory).outOfMemory();
  }

  private void events(int killed) throws IOException {
    Files.writeString(
        directory.resolve("memory.events"),
        "low 0\nhigh 0\nmax 12\noom 3\noom_kill %d\noom_group_kill 0\n".formatted(killed));
  }

  @Test
  void isNothingWhereTheKernelCountsNone() throws IOException {
    assertThat(read()).isEmpty();
    events(0);
    assertThat(read()).isEmpty();
  }

  @Test
  void isTheKillWithThePeakWhereTheKernelKnowsOne() throws IOException {
    events(2);
    assertThat(read()).contains(new OutOfMemory(Optional.empty()));
    Files.writeString(directory.resolve("memory.peak"), "1073741824\n");
    assertThat(read()).contains(new OutOfMemory(Optional.of(ByteSize.gibibytes(1))));
  }
}
