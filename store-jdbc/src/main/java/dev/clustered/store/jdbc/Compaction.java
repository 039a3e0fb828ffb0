// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.spi.StateStore.Snapshot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** The snapshot in the place of entries. Immutable and thread-safe. */
final class Compaction {

  /** So few entries are deleted at a time that nobody waits for it. */
  private static final int DELETED_AT_ONCE = 5_000;

  private final Dialect dialect;

  Compaction(Dialect dialect) {
    this.dialect = dialect;
  }

  /** Writes the snapshot; from then on nobody reads the entries before it. */
  boolean write(Connection connection, long epoch, Snapshot snapshot) throws SQLException {
    Head head = Head.lock(connection, dialect);
    if (epoch < head.epoch()) {
      throw GroupWrite.deposed(dialect, epoch, head.epoch());
    }
    long position = snapshot.position();
    long least = Math.max(1, head.compacted());
    if (position < least || position > head.last()) {
      throw new IllegalArgumentException(
          "%s can be compacted up to a position from %d to %d; received %d"
              .formatted(dialect.name(), least, head.last(), position));
    }
    try (PreparedStatement put =
        connection.prepareStatement(
            "INSERT INTO clustered_snapshot (id, position, json) VALUES (1, ?, ?) ON CONFLICT (id)"
                + " DO UPDATE SET position = excluded.position, json = excluded.json")) {
      put.setLong(1, position);
      put.setString(2, snapshot.json());
      put.executeUpdate();
    }
    new Head(epoch, head.last(), position).write(connection);
    return true;
  }

  /** Deletes some of the entries that a snapshot stands for; false when none is left. */
  boolean deleteSome(Connection connection) throws SQLException {
    Head head = Head.lock(connection, dialect);
    long least;
    try (PreparedStatement select =
            connection.prepareStatement("SELECT MIN(position) FROM clustered_journal");
        ResultSet row = select.executeQuery()) {
      // Of no entry the least is NULL, which reads as zero.
      least = row.next() ? row.getLong(1) : 0;
    }
    long end = Math.min(head.compacted(), least + DELETED_AT_ONCE);
    if (least == 0 || least > head.compacted()) {
      return false;
    }
    try (PreparedStatement delete =
        connection.prepareStatement("DELETE FROM clustered_journal WHERE position <= ?")) {
      delete.setLong(1, end);
      delete.executeUpdate();
    }
    return end < head.compacted();
  }

  static Optional<Snapshot> read(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                "SELECT position, json FROM clustered_snapshot WHERE id = 1");
        ResultSet row = select.executeQuery()) {
      return row.next()
          ? Optional.of(new Snapshot(row.getLong(1), row.getString(2)))
          : Optional.empty();
    }
  }
}
