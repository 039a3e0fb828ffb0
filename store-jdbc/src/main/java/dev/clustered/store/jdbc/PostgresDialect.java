// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * PostgreSQL and what speaks as it does. Writers queue at the row that each of them locks first. A
 * writer that stands still is cut off by the server, so that the next engine does not wait for it.
 * Immutable and thread-safe.
 */
record PostgresDialect(String name, DataSource source) implements Dialect {

  /**
   * Longer than the server makes anybody wait, so this ends only waiting for a server that went.
   */
  private static final int ANSWER_MILLIS = 15_000;

  private static final int LOCK_MILLIS = 10_000;
  private static final int IDLE_MILLIS = 10_000;

  /** Microseconds of the server's clock at this moment, which now() would give of the past. */
  private static final String NOW =
      "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";

  /**
   * Conflicts of transactions (40), deadlocks among them, a lock that was not got in time, and
   * tables that somebody else made at the same moment.
   */
  private static final Set<String> PASSING =
      Set.of("40001", "40P01", "55P03", "23505", "42P07", "42710");

  /**
   * The server ends, starts, is full of connections, or gave up on a session that stood still; it
   * became a standby; or it does not know how a transaction ended.
   */
  private static final Set<String> LOST =
      Set.of("57P01", "57P02", "57P03", "57P05", "53300", "25P03", "25P04", "25006", "40003");

  /** Who or where cannot be right: the password, the database, the schema, a right. */
  private static final Set<String> SETTINGS = Set.of("28P01", "28000", "3D000", "3F000", "42501");

  @Override
  public Connection connect() throws SQLException {
    Connection connection = source.getConnection();
    try (Statement statement = connection.createStatement()) {
      connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
      connection.setAutoCommit(true);
      statement.execute("SET lock_timeout = " + LOCK_MILLIS);
      statement.execute("SET idle_in_transaction_session_timeout = " + IDLE_MILLIS);
      if (text(statement, "SHOW synchronous_commit").equals("off")) {
        statement.execute("SET synchronous_commit = on");
      }
      return connection;
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public void check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String encoding = text(statement, "SHOW server_encoding");
      if (!encoding.equals("UTF8")) {
        throw new ClusterException(
            ErrorCode.INVALID_SETTING,
            "%s has the encoding %s; a state store takes one of UTF8".formatted(name, encoding));
      }
    }
  }

  private static String text(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getString(1) : "";
    }
  }

  @Override
  public void begin(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
  }

  @Override
  public void commit(Connection connection) throws SQLException {
    connection.commit();
    connection.setAutoCommit(true);
  }

  @Override
  public void rollback(Connection connection) throws SQLException {
    connection.rollback();
    connection.setAutoCommit(true);
  }

  @Override
  public Moment now(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(NOW)) {
      if (!row.next()) {
        throw new SQLException("the server did not tell the time");
      }
      return new Moment("server", row.getLong(1));
    }
  }

  @Override
  public String locked() {
    return " FOR UPDATE";
  }

  @Override
  public String longType() {
    return "BIGINT";
  }

  private static String state(SQLException failure) {
    return Optional.ofNullable(failure.getSQLState()).orElse("");
  }

  @Override
  public Trouble judge(SQLException failure) {
    String state = state(failure);
    if (PASSING.contains(state)) {
      return Trouble.TRY_AGAIN;
    }
    boolean lost =
        state.startsWith("08") || LOST.contains(state) || failure.getCause() instanceof IOException;
    return lost ? Trouble.CONNECTION_LOST : Trouble.LASTING;
  }

  @Override
  public ErrorCode code(SQLException failure) {
    return SETTINGS.contains(state(failure)) ? ErrorCode.INVALID_SETTING : ErrorCode.STORE_FAILED;
  }

  @Override
  public String advice(SQLException failure) {
    return SETTINGS.contains(state(failure))
        ? "name a user, a password and a database in which that user may make tables"
        : "repair that; the SQLSTATE is " + state(failure);
  }
}
