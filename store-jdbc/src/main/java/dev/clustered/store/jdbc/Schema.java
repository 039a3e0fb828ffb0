// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables, made and brought to the newest version step by step. Immutable and thread-safe. */
final class Schema {

  /** Each step brings the tables to the next version; a step that was released never changes. */
  private static final List<List<String>> STEPS =
      List.of(
          List.of(
              """
              CREATE TABLE clustered_head (id INTEGER PRIMARY KEY, epoch <long> NOT NULL,
                last_position <long> NOT NULL, compacted <long> NOT NULL)\
              """,
              "INSERT INTO clustered_head (id, epoch, last_position, compacted) VALUES (1, 0, 0,"
                  + " 0)",
              """
              CREATE TABLE clustered_journal (position <long> PRIMARY KEY, batch <long>,
                json TEXT NOT NULL)\
              """,
              """
              CREATE TABLE clustered_snapshot (id INTEGER PRIMARY KEY, position <long> NOT NULL,
                json TEXT NOT NULL)\
              """,
              """
              CREATE TABLE clustered_lease (id INTEGER PRIMARY KEY, engine TEXT NOT NULL,
                epoch <long> NOT NULL, token <long> NOT NULL, clock TEXT NOT NULL,
                expires <long> NOT NULL)\
              """,
              """
              INSERT INTO clustered_lease (id, engine, epoch, token, clock, expires)
                VALUES (1, '', 0, 0, '', 0)\
              """));

  private static final String VERSION = "SELECT version FROM clustered_schema WHERE id = 1";

  private final Dialect dialect;

  Schema(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * Makes or renews the tables.
   *
   * @throws ClusterException when they are of a newer version, or the database is not fit
   */
  void prepare(Link link) {
    boolean ready = link.run(this::ready);
    if (!ready) {
      int made = link.transact(this::renew);
      assert made == STEPS.size();
    }
  }

  /** Looks without a lock, which somebody who writes may hold. */
  private boolean ready(Connection connection) throws SQLException {
    dialect.check(connection);
    try {
      return version(connection, VERSION) == STEPS.size();
    } catch (SQLException e) {
      if (dialect.judge(e) != Dialect.Trouble.LASTING) {
        throw e;
      }
      // There are no tables; if that is not the reason, making them tells.
      return false;
    }
  }

  private int renew(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS clustered_schema"
              + " (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)");
      statement.execute(
          "INSERT INTO clustered_schema (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING");
      int version = version(connection, VERSION + dialect.locked());
      if (version > STEPS.size()) {
        throw new ClusterException(
            ErrorCode.INVALID_SETTING,
            "%s has tables of version %d, and this library knows them up to version %d; use the library that made them or a newer one"
                .formatted(dialect.name(), version, STEPS.size()));
      }
      for (List<String> step : STEPS.subList(version, STEPS.size())) {
        for (String command : step) {
          statement.execute(command.replace("<long>", dialect.longType()));
        }
      }
      statement.execute("UPDATE clustered_schema SET version = " + STEPS.size() + " WHERE id = 1");
      return STEPS.size();
    }
  }

  private static int version(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getInt(1) : 0;
    }
  }
}
