// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.spi.StateStore;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is in the file after its process ended at any moment. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class SqliteCrashTest {

  private static final int KILLS = 20;
  private static final int COPIES = 10;
  private static final long LONGEST_RUN = TimeUnit.MILLISECONDS.toNanos(150);

  @TempDir private Path directory;

  private final Random random = seeded();

  private static Random seeded() {
    long seed = System.nanoTime();
    System.out.println("seed=" + seed);
    return new Random(seed);
  }

  private void runForAWhile() {
    LockSupport.parkNanos(random.nextLong(LONGEST_RUN));
  }

  @Test
  void hasEveryAppendThatReturnedBeforeAKill() throws Exception {
    Path file = directory.resolve("journal.db");
    List<String> printed = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      AppendingProcess killed;
      try (AppendingProcess program = new AppendingProcess(file, "run" + kill, directory)) {
        program.awaitFirst();
        runForAWhile();
        killed = program;
      }
      printed.addAll(killed.printed());
      check(file, printed);
    }
    assertThat(printed).hasSizeGreaterThan(KILLS);
  }

  /** As a snapshot of the disk is taken: all files at one moment, in the middle of whatever. */
  @Test
  void isAPrefixWhenItsFilesAreCopiedAtOneMoment() throws Exception {
    Path file = directory.resolve("journal.db");
    try (AppendingProcess program = new AppendingProcess(file, "copied", directory)) {
      program.awaitFirst();
      for (int copy = 0; copy < COPIES; copy++) {
        runForAWhile();
        program.signal("STOP");
        List<String> printed = program.printed();
        Path copied = Files.createDirectory(directory.resolve("copy-" + copy));
        for (String name : List.of("journal.db", "journal.db-wal")) {
          Files.copy(directory.resolve(name), copied.resolve(name));
        }
        program.signal("CONT");
        check(copied.resolve("journal.db"), printed);
      }
    }
  }

  /** Positions have no gap, pairs are whole, and what was printed stands where it was said to. */
  private static void check(Path file, List<String> printed) throws IOException {
    try (StateStore store = SqliteStore.open(file)) {
      List<StateStore.Entry> all = store.read(1, Integer.MAX_VALUE);
      assertThat(all.size()).isEven();
      for (int i = 0; i < all.size(); i++) {
        assertThat(all.get(i).position()).isEqualTo(i + 1);
        String pair = all.get(i - i % 2).json().replaceFirst("-[ab]\"$", "");
        assertThat(all.get(i).json()).isEqualTo(pair + (i % 2 == 0 ? "-a\"" : "-b\""));
      }
      for (String line : printed) {
        int space = line.indexOf(' ');
        int position = Integer.parseInt(line.substring(0, space));
        assertThat(all).as(line).hasSizeGreaterThanOrEqualTo(position);
        assertThat(all.get(position - 1).json()).isEqualTo(line.substring(space + 1));
      }
    }
  }
}
