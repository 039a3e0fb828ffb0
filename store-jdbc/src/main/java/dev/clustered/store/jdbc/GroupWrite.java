// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * One group of appends, written in one transaction. It may be done again after a commit whose
 * answer was lost: entries have no gap, so its first one stands at a known position then, marked
 * with the group's number, or it was not committed. Not thread-safe.
 */
final class GroupWrite {

  private final Dialect dialect;
  private final List<Append> group;
  private final long number;
  private List<Supplier<Long>> outcomes = List.of();
  private OptionalLong first = OptionalLong.empty();

  /**
   * A group that was not written so far.
   *
   * @param number one that no other group has
   */
  GroupWrite(Dialect dialect, List<Append> group, long number) {
    this.dialect = dialect;
    this.group = group;
    this.number = number;
  }

  /** Writes the group, unless an earlier try did; gives what each append comes to. */
  List<Supplier<Long>> write(Connection connection) throws SQLException {
    Head head = Head.lock(connection, dialect);
    if (!written(connection)) {
      decide(connection, head);
    }
    return outcomes;
  }

  private boolean written(Connection connection) throws SQLException {
    if (first.isEmpty()) {
      return false;
    }
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT 1 FROM clustered_journal WHERE position = ? AND batch = ?")) {
      select.setLong(1, first.getAsLong());
      select.setLong(2, number);
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }

  private void decide(Connection connection, Head head) throws SQLException {
    List<Supplier<Long>> decided = new ArrayList<>();
    long epoch = head.epoch();
    long last = head.last();
    first = OptionalLong.of(last + 1);
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO clustered_journal (position, batch, json) VALUES (?, ?, ?)")) {
      for (Append append : group) {
        if (append.epoch() < epoch) {
          decided.add(refusal(append.epoch(), epoch));
          continue;
        }
        epoch = append.epoch();
        for (String event : append.events()) {
          add(insert, ++last, event);
        }
        long position = last;
        decided.add(() -> position);
      }
      if (last > head.last()) {
        insert.executeBatch();
      }
    }
    if (last > head.last() || epoch > head.epoch()) {
      new Head(epoch, last, head.compacted()).write(connection);
    }
    outcomes = decided;
  }

  private void add(PreparedStatement insert, long position, String event) throws SQLException {
    insert.setLong(1, position);
    if (position == first.getAsLong()) {
      insert.setLong(2, number);
    } else {
      insert.setNull(2, Types.BIGINT);
    }
    insert.setString(3, event);
    insert.addBatch();
  }

  private Supplier<Long> refusal(long epoch, long newest) {
    return () -> {
      throw deposed(dialect, epoch, newest);
    };
  }

  static ClusterException deposed(Dialect dialect, long epoch, long newest) {
    return new ClusterException(
        ErrorCode.ENGINE_DEPOSED,
        "an engine of epoch %d wrote to %s after one of epoch %d; it must stop"
            .formatted(epoch, dialect.name(), newest));
  }
}
