// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteOpenMode;

/**
 * SQLite with a write-ahead log that is forced to the disk by every commit. Transactions take the
 * write lock when they begin, so none is refused half-way. Immutable and thread-safe.
 */
record SqliteDialect(Path file, BootClock clock) implements Dialect {

  private static final int BUSY_MILLIS = 10_000;

  /** The low byte is the kind of a result, the rest its detail. */
  private static final int KIND = 0xff;

  @Override
  public String name() {
    return "the state store " + file;
  }

  @Override
  public Connection connect() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout(BUSY_MILLIS);
    // Somebody may have removed the file: then another, empty one would be made in its place.
    config.resetOpenMode(SQLiteOpenMode.CREATE);
    return config.createConnection("jdbc:sqlite:" + file);
  }

  @Override
  public void check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*), COALESCE(SUM(name = 'clustered_schema'), 0) FROM"
                    + " sqlite_master")) {
      if (row.next() && row.getLong(1) > 0 && row.getLong(2) == 0) {
        throw new ClusterException(
            ErrorCode.INVALID_SETTING,
            name() + " is the database of another program; name a file of its own");
      }
    }
  }

  @Override
  public void begin(Connection connection) throws SQLException {
    execute(connection, "BEGIN IMMEDIATE");
  }

  @Override
  public void commit(Connection connection) throws SQLException {
    execute(connection, "COMMIT");
  }

  @Override
  public void rollback(Connection connection) throws SQLException {
    execute(connection, "ROLLBACK");
  }

  private static void execute(Connection connection, String command) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  @Override
  public Moment now(Connection connection) {
    return clock.now();
  }

  @Override
  public String locked() {
    return "";
  }

  @Override
  public String longType() {
    return "INTEGER";
  }

  private static SQLiteErrorCode kind(SQLException failure) {
    return SQLiteErrorCode.getErrorCode(failure.getErrorCode() & KIND);
  }

  @Override
  public Trouble judge(SQLException failure) {
    SQLiteErrorCode kind = kind(failure);
    boolean passes =
        kind == SQLiteErrorCode.SQLITE_BUSY
            || kind == SQLiteErrorCode.SQLITE_LOCKED
            || kind == SQLiteErrorCode.SQLITE_PROTOCOL;
    return passes ? Trouble.TRY_AGAIN : Trouble.LASTING;
  }

  @Override
  public ErrorCode code(SQLException failure) {
    return kind(failure) == SQLiteErrorCode.SQLITE_NOTADB
        ? ErrorCode.INVALID_SETTING
        : ErrorCode.STORE_FAILED;
  }

  @Override
  public String advice(SQLException failure) {
    SQLiteErrorCode kind = kind(failure);
    if (kind == SQLiteErrorCode.SQLITE_NOTADB) {
      return "the file is no database of SQLite; name another file";
    }
    if (kind == SQLiteErrorCode.SQLITE_FULL || kind == SQLiteErrorCode.SQLITE_IOERR) {
      return "make room on its disk, or repair it; nothing of what was to be written was kept";
    }
    if (kind == SQLiteErrorCode.SQLITE_CORRUPT) {
      return "the file is damaged; restore a copy of it together with that of its -wal file";
    }
    return "see to it that this program may read and write the file and its directory";
  }
}
