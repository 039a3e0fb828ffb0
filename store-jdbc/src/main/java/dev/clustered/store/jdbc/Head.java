// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The one row that every write changes first, so that writes come one after the other.
 *
 * @param epoch the newest that was seen
 * @param last the position of the last entry
 * @param compacted the position up to which a snapshot stands for the entries; 0 for none
 */
record Head(long epoch, long last, long compacted) {

  private static final String SELECT =
      "SELECT epoch, last_position, compacted FROM clustered_head WHERE id = 1";

  /** The head as it is. */
  static Head read(Connection connection) throws SQLException {
    return select(connection, SELECT);
  }

  /** The head, which nobody else changes until the transaction ends. */
  static Head lock(Connection connection, Dialect dialect) throws SQLException {
    return select(connection, SELECT + dialect.locked());
  }

  private static Head select(Connection connection, String query) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(query);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new SQLException("the table clustered_head is empty");
      }
      return new Head(row.getLong(1), row.getLong(2), row.getLong(3));
    }
  }

  /** Puts this in the place of the head that is locked. */
  void write(Connection connection) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE clustered_head SET epoch = ?, last_position = ?, compacted = ? WHERE id = 1")) {
      update.setLong(1, epoch);
      update.setLong(2, last);
      update.setLong(3, compacted);
      update.executeUpdate();
    }
  }
}
