// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One connection that is opened when it is needed and anew when it broke. One caller at a time uses
 * it, in the order in which they came. An interrupt does not end a call, since what was written
 * would be unknown; it stays set. Thread-safe.
 */
final class Link implements AutoCloseable {

  /** Something to do with a connection; it may be done again from the start. */
  interface Work<T> {
    T with(Connection connection) throws SQLException;
  }

  private final Dialect dialect;
  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock(true);
  private Optional<Connection> connection = Optional.empty();
  private boolean doubtful;
  private volatile boolean closed;

  /** A link that tries so long to get over what may pass by itself. */
  Link(Dialect dialect, Duration patience) {
    this.dialect = dialect;
    this.patience = patience;
  }

  /**
   * Does something in one transaction; it may be done several times, of which one counts.
   *
   * @throws ClusterException when it could not be done, or the link is closed
   */
  <T> T transact(Work<T> work) {
    return run(c -> inTransaction(c, work));
  }

  private <T> T inTransaction(Connection connection, Work<T> work) throws SQLException {
    dialect.begin(connection);
    T result;
    try {
      result = work.with(connection);
    } catch (SQLException | RuntimeException | Error e) {
      rollback(connection, e);
      throw e;
    }
    try {
      dialect.commit(connection);
    } catch (SQLException e) {
      doubtful |= dialect.judge(e) == Dialect.Trouble.CONNECTION_LOST;
      rollback(connection, e);
      throw e;
    }
    return result;
  }

  private void rollback(Connection connection, Throwable reason) {
    try {
      dialect.rollback(connection);
    } catch (SQLException e) {
      reason.addSuppressed(e);
      // A closed connection ends its transaction too.
      drop();
    }
  }

  /**
   * Does something, each statement for itself.
   *
   * @throws ClusterException when it could not be done, or the link is closed
   */
  <T> T run(Work<T> work) {
    boolean interrupted = false;
    lock.lock();
    try {
      doubtful = false;
      Tries tries = new Tries(patience);
      while (true) {
        // An interrupt would end waiting for the database, and break a connection of a virtual
        // thread.
        interrupted |= Thread.interrupted();
        requireOpen();
        try {
          return work.with(connection());
        } catch (SQLException e) {
          fail(e, tries);
        }
        tries.pause();
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Connection connection() throws SQLException {
    if (connection.isEmpty()) {
      connection = Optional.of(dialect.connect());
    }
    return connection.get();
  }

  /** Returns when it may be tried again. */
  private void fail(SQLException failure, Tries tries) {
    Dialect.Trouble trouble = dialect.judge(failure);
    if (trouble != Dialect.Trouble.TRY_AGAIN) {
      drop();
    }
    if (trouble == Dialect.Trouble.LASTING || tries.over()) {
      throw new ClusterException(
          trouble == Dialect.Trouble.LASTING ? dialect.code(failure) : ErrorCode.STORE_FAILED,
          "%s failed: %s; %s%s"
              .formatted(
                  dialect.name(),
                  failure.getMessage(),
                  trouble == Dialect.Trouble.LASTING
                      ? dialect.advice(failure)
                      : "it was tried for " + patience + "; see to it that the database answers",
                  doubtful ? "; whether the last write was kept is not known" : ""),
          failure);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new ClusterException(
          ErrorCode.ENGINE_CLOSED, dialect.name() + " is closed; open another store");
    }
  }

  private void drop() {
    Optional<Connection> dropped = connection;
    connection = Optional.empty();
    try {
      if (dropped.isPresent()) {
        dropped.get().close();
      }
    } catch (SQLException e) {
      // It is given up; the reason for that is told elsewhere.
      return;
    }
  }

  /** Waits for the call under way; those that wait behind it are refused. */
  @Override
  public void close() {
    closed = true;
    lock.lock();
    try {
      drop();
    } finally {
      lock.unlock();
    }
  }
}
