// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The file of a store: its rights, and files that cannot be one. */
@ExtendWith(NothingLeft.class)
class SqliteFileTest {

  @TempDir private Path directory;

  private static void refused(Path file, String... words) {
    assertThatThrownBy(() -> SqliteStore.open(file).close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
        .hasMessageContaining(file.toString())
        .hasMessageContainingAll(words);
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void isMadeForItsOwnerAloneWithItsDirectories() throws IOException {
    Path file = directory.resolve("a/b/größer journal.db");
    try (StateStore store = SqliteStore.open(file)) {
      store.append(1, List.of("{}"));
      for (String end : List.of("", "-wal", "-shm")) {
        assertThat(permissions(Path.of(file + end))).isEqualTo("rw-------");
      }
      assertThat(permissions(directory.resolve("a/b"))).isEqualTo("rwx------");
    }
  }

  @Test
  void isRefusedWhenItIsNoDatabase() throws IOException {
    for (int length : List.of(1, 20, 5_000)) {
      Path file = Files.writeString(directory.resolve("text-" + length), "x".repeat(length));
      refused(file, "is no database of SQLite");
      assertThat(file).content().isEqualTo("x".repeat(length));
    }
  }

  @Test
  void isRefusedWhenItIsAnotherProgramsDatabase() throws SQLException {
    Path file = directory.resolve("other.db");
    execute(file, "CREATE TABLE songs (name TEXT)");
    refused(file, "another program");
  }

  @Test
  void isRefusedWhenItsTablesAreNewer() throws SQLException {
    Path file = directory.resolve("newer.db");
    SqliteStore.open(file).close();
    execute(file, "UPDATE clustered_schema SET version = 99");
    refused(file, "version 99", "version 1", "newer");
  }

  private static void execute(Path file, String command) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  @Test
  void isRefusedWhereNoFileCanBe() throws IOException {
    refused(directory, "is none");
    Path file = Files.createFile(directory.resolve("file"));
    refused(file.resolve("journal.db"), "may make files");
    refused(directory.resolve("a?mode=memory"), "question mark");
    Path forbidden =
        System.getProperty("user.name").equals("root")
            ? Path.of("/proc")
            : Files.createDirectory(
                directory.resolve("forbidden"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-x------")));
    refused(forbidden.resolve("journal.db"), "may make files");
  }

  @Test
  void goesOnAfterTheDiskWasFull() throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    Assumptions.assumeTrue(
        mounted("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk.toString()),
        "a small disk can be mounted; that takes root");
    try {
      Path filler = Files.write(disk.resolve("filler"), new byte[1 << 20]);
      try (StateStore store = SqliteStore.open(disk.resolve("journal.db"))) {
        long kept = fill(store);
        assertThat(kept).isPositive();
        assertThat(store.read(1, Integer.MAX_VALUE)).hasSize((int) kept);
        assertThat(store.holder()).isEmpty();
        Files.delete(filler);
        assertThat(store.append(1, List.of("1", "2"))).isEqualTo(kept + 2);
        assertThat(store.read(kept + 1, 10))
            .containsExactly(
                new StateStore.Entry(kept + 1, "1"), new StateStore.Entry(kept + 2, "2"));
      }
    } finally {
      assertThat(mounted("umount", disk.toString())).isTrue();
    }
  }

  private static boolean mounted(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
  }

  /** Appends until the disk is full, and once more; gives the last position kept. */
  private static long fill(StateStore store) {
    List<String> pair = List.of("\"" + "x".repeat(10_000) + "\"", "\"y\"");
    long kept = 0;
    for (int i = 0; i < 1_000; i++) {
      try {
        kept = store.append(1, pair);
      } catch (ClusterException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED);
        assertThat(e).hasMessageContainingAll("make room", "journal.db", "full");
        assertThatThrownBy(() -> store.append(1, pair)).isInstanceOf(ClusterException.class);
        return kept;
      }
    }
    throw new AssertionError("the disk is not full after %d events".formatted(kept));
  }
}
