// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/** Durable state in a file of this machine, for one engine and its standbys there. */
public final class SqliteStore {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** What every database of SQLite begins with, unless it is empty. */
  private static final String HEADER = "SQLite format 3\0";

  private SqliteStore() {}

  /**
   * The store in a file, which is made when there is none, readable by its owner alone, with the
   * directories that lead to it. Beside it SQLite keeps two files of its name with {@code -wal} and
   * {@code -shm} at the end; a copy of the store needs the first of them too. Several processes of
   * one machine may have it open; the file must not lie on a network's file system. An append that
   * returned outlives the end of the process and of the machine.
   *
   * <p>The lease is counted by the time since the machine was booted, so changing the wall clock
   * neither ends nor prolongs it, and ends with that boot. That is so on Linux; elsewhere it is
   * counted by the wall clock.
   *
   * @return a thread-safe store
   * @throws ClusterException with the code {@code INVALID_SETTING} when the file cannot be made or
   *     is none of ours, or {@code STORE_FAILED}
   */
  public static StateStore open(Path file) {
    return open(file, new BootClock());
  }

  static StateStore open(Path file, BootClock clock) {
    Path absolute = file.toAbsolutePath().normalize();
    make(absolute);
    SqliteDialect dialect = new SqliteDialect(absolute, clock);
    // SQLite lets one connection write at a time, and those of one process do not queue for that.
    Link writer = new Link(dialect, PATIENCE);
    return JdbcStore.open(dialect, PATIENCE, writer, writer, new Link(dialect, PATIENCE));
  }

  private static void make(Path file) {
    if (file.toString().indexOf('?') >= 0) {
      throw invalid(file, "a name without a question mark, after which settings would follow");
    }
    try {
      makeEmpty(file);
    } catch (IOException e) {
      throw invalid(file, "a place in which this program may make files (" + e + ")");
    }
    if (!Files.isRegularFile(file)) {
      throw invalid(file, "a file; what is there is none");
    }
    if (!Files.isReadable(file) || !Files.isWritable(file)) {
      throw invalid(file, "a file that this program may read and write");
    }
    if (!isDatabase(file)) {
      throw invalid(file, "a new file or one of its own; this is no database of SQLite");
    }
  }

  private static void makeEmpty(Path file) throws IOException {
    if (file.getParent() != null) {
      Files.createDirectories(file.getParent(), ownerOnly("rwx------"));
    }
    if (!Files.exists(file)) {
      try {
        Files.createFile(file, ownerOnly("rw-------"));
      } catch (FileAlreadyExistsException e) {
        // Another process made it at this moment, and so it may be opened.
        return;
      }
    }
  }

  /**
   * SQLite takes a file for an empty database that is shorter than its header, and writes to it.
   */
  private static boolean isDatabase(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] begin = in.readNBytes(HEADER.length());
      return begin.length == 0 || new String(begin, StandardCharsets.ISO_8859_1).equals(HEADER);
    } catch (IOException e) {
      throw invalid(file, "a file that this program may read (" + e + ")");
    }
  }

  private static FileAttribute<?>[] ownerOnly(String permissions) {
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static ClusterException invalid(Path file, String right) {
    return new ClusterException(
        ErrorCode.INVALID_SETTING,
        "the file of a state store takes %s; received %s".formatted(right, file));
  }
}
