// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.spi.StateStore.Lease;
import dev.clustered.spi.StateStore.LeaseView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** The lease: one row, and the clock that all engines share. Immutable and thread-safe. */
final class Leases {

  /** The coarsest step of a clock that is rounded down. */
  static final Duration CLOCK_STEP = Duration.ofMillis(10);

  /** By such a part of a lease the holder's clock may lag behind the shared one, and more. */
  private static final int CLOCK_PRECISION = 1_000;

  private static final String SELECT =
      "SELECT engine, epoch, token, clock, expires FROM clustered_lease WHERE id = 1";

  private final Dialect dialect;

  Leases(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * The row.
   *
   * @param engine who got the lease last; empty when nobody holds one
   * @param token what it was asked for with
   * @param expires when it runs out
   */
  private record Row(String engine, long epoch, long token, Moment expires) {

    Duration left(Moment now) {
      boolean running = !engine.isEmpty() && expires.clock().equals(now.clock());
      return running
          ? Duration.of(Math.max(0, expires.micros() - now.micros()), ChronoUnit.MICROS)
          : Duration.ZERO;
    }

    boolean isOf(Lease lease) {
      return engine.equals(lease.engine()) && epoch == lease.epoch();
    }

    void write(Connection connection) throws SQLException {
      try (PreparedStatement update =
          connection.prepareStatement(
              "UPDATE clustered_lease SET engine = ?, epoch = ?, token = ?, clock = ?, expires = ?"
                  + " WHERE id = 1")) {
        update.setString(1, engine);
        update.setLong(2, epoch);
        update.setLong(3, token);
        update.setString(4, expires.clock());
        update.setLong(5, expires.micros());
        update.executeUpdate();
      }
    }
  }

  private static Row row(Connection connection, String query) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(query);
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new SQLException("the table clustered_lease is empty");
      }
      return new Row(
          row.getString(1),
          row.getLong(2),
          row.getLong(3),
          new Moment(row.getString(4), row.getLong(5)));
    }
  }

  /**
   * Gives the lease to this engine, unless another one holds it.
   *
   * @param token what no other call has, so that a lost answer can be told
   */
  Optional<Lease> acquire(Connection connection, String engine, Duration length, long token)
      throws SQLException {
    Head head = Head.lock(connection, dialect);
    Row row = row(connection, SELECT + dialect.locked());
    if (row.token() == token) {
      return Optional.of(new Lease(engine, row.epoch(), length));
    }
    Moment now = dialect.now(connection);
    if (row.left(now).isPositive()) {
      return Optional.empty();
    }
    Lease lease = new Lease(engine, head.epoch() + 1, length);
    new Head(lease.epoch(), head.last(), head.compacted()).write(connection);
    new Row(engine, lease.epoch(), token, end(now, length)).write(connection);
    return Optional.of(lease);
  }

  /** Its end here comes after that by the holder's clock, which began to count before. */
  private static Moment end(Moment now, Duration length) {
    Duration margin = CLOCK_STEP.plus(length.dividedBy(CLOCK_PRECISION));
    long micros = length.plus(margin).dividedBy(ChronoUnit.MICROS.getDuration());
    return new Moment(now.clock(), now.micros() + micros);
  }

  boolean renew(Connection connection, Lease lease) throws SQLException {
    Row row = row(connection, SELECT + dialect.locked());
    Moment now = dialect.now(connection);
    boolean held = row.isOf(lease) && row.left(now).isPositive();
    if (held) {
      new Row(row.engine(), row.epoch(), row.token(), end(now, lease.length())).write(connection);
    }
    return held;
  }

  /** The name is erased; the epoch stays. */
  boolean release(Connection connection, Lease lease) throws SQLException {
    Row row = row(connection, SELECT + dialect.locked());
    if (row.isOf(lease)) {
      new Row("", row.epoch(), row.token(), row.expires()).write(connection);
    }
    return true;
  }

  Optional<LeaseView> holder(Connection connection) throws SQLException {
    Row row = row(connection, SELECT);
    return Optional.of(new LeaseView(row.engine(), row.epoch(), row.left(dialect.now(connection))))
        .filter(view -> view.left().isPositive());
  }
}
