// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;

/** One database and what it does in its own way. Immutable and thread-safe. */
interface Dialect {

  /** What follows from a failure. */
  enum Trouble {
    /** The same again may succeed over the same connection. */
    TRY_AGAIN,
    /** The connection is of no more use; whether its last command was done is not known. */
    CONNECTION_LOST,
    /** Somebody has to do something first. */
    LASTING
  }

  /** The database in words, for messages; without a secret. */
  String name();

  /** A new connection, in auto-commit mode. */
  Connection connect() throws SQLException;

  /**
   * Looks once whether the database is fit for a journal.
   *
   * @throws dev.clustered.model.ClusterException when it is not
   */
  void check(Connection connection) throws SQLException;

  /** Begins a transaction that may write. */
  void begin(Connection connection) throws SQLException;

  /** Ends the transaction; when it returns everything is kept. */
  void commit(Connection connection) throws SQLException;

  /** Ends the transaction as if it had not been. */
  void rollback(Connection connection) throws SQLException;

  /** The moment by the clock that all engines share. */
  Moment now(Connection connection) throws SQLException;

  /** The end of a SELECT in a transaction whose rows nobody else may change until its end. */
  String locked();

  /** The type of a column of whole numbers with 64 bits. */
  String longType();

  /** What follows from this failure. */
  Trouble judge(SQLException failure);

  /** The code for a failure that lasts. */
  ErrorCode code(SQLException failure);

  /** What to do about a failure, as the end of a sentence. */
  String advice(SQLException failure);
}
