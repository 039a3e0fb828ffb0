// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The store over any database with a {@link Dialect}. Thread-safe. */
final class JdbcStore implements StateStore {

  private final Dialect dialect;
  private final Link writer;
  private final Link leasing;
  private final Link reader;
  private final Leases leases;
  private final Compaction compaction;
  private final GroupCommit commits = new GroupCommit(this::write);
  private final SecureRandom random = new SecureRandom();

  private JdbcStore(Dialect dialect, Link writer, Link leasing, Link reader) {
    this.dialect = dialect;
    this.writer = writer;
    this.leasing = leasing;
    this.reader = reader;
    this.leases = new Leases(dialect);
    this.compaction = new Compaction(dialect);
  }

  /**
   * Opens a store over these links, of which some may be the same, and closes them with it.
   *
   * @param opening the time in which the database has to answer first
   */
  static JdbcStore open(Dialect dialect, Duration opening, Link writer, Link leasing, Link reader) {
    JdbcStore store = new JdbcStore(dialect, writer, leasing, reader);
    try (Link link = new Link(dialect, opening)) {
      new Schema(dialect).prepare(link);
    }
    return store;
  }

  @Override
  public long append(long epoch, List<String> events) {
    events.forEach(StateStore::requireStorable);
    return commits.append(new Append(epoch, events));
  }

  private void write(List<Append> group) {
    GroupWrite write = new GroupWrite(dialect, group, random.nextLong());
    List<Supplier<Long>> outcomes;
    try {
      outcomes = writer.transact(write::write);
    } catch (ClusterException e) {
      group.forEach(
          append ->
              append.end(
                  () -> {
                    throw new ClusterException(e.code(), withoutCode(e), e);
                  }));
      return;
    }
    for (int i = 0; i < group.size(); i++) {
      group.get(i).end(outcomes.get(i));
    }
  }

  private static String withoutCode(ClusterException failure) {
    return String.valueOf(failure.getMessage()).replaceFirst("^" + failure.code() + ": ", "");
  }

  @Override
  public List<Entry> read(long from, int limit) {
    return reader.run(connection -> read(connection, from, limit));
  }

  private List<Entry> read(Connection connection, long from, int limit) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT position, json FROM clustered_journal WHERE position >= ? ORDER BY position"
                + " LIMIT ?")) {
      select.setLong(1, from);
      select.setInt(2, limit);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          entries.add(new Entry(rows.getLong(1), rows.getString(2)));
        }
      }
    }
    // Afterwards, so that a compaction between the two is seen in any case.
    long compacted = Head.read(connection).compacted();
    if (from <= compacted) {
      throw new ClusterException(
          ErrorCode.JOURNAL_COMPACTED,
          "%s begins after position %d; received %d; read the snapshot first"
              .formatted(dialect.name(), compacted, from));
    }
    return entries;
  }

  @Override
  public void compact(long epoch, long position, String json) {
    StateStore.requireStorable(json);
    Snapshot snapshot = new Snapshot(position, json);
    boolean more = writer.transact(connection -> compaction.write(connection, epoch, snapshot));
    while (more) {
      more = writer.transact(compaction::deleteSome);
    }
  }

  @Override
  public Optional<Snapshot> snapshot() {
    return reader.run(Compaction::read);
  }

  @Override
  public Optional<Lease> acquire(String engine, Duration length) {
    Lease asked = new Lease(engine, 0, length);
    // Most who ask are refused, and do not disturb whoever writes.
    if (holder().isPresent()) {
      return Optional.empty();
    }
    long token = random.nextLong();
    return leasing.transact(
        connection -> leases.acquire(connection, asked.engine(), asked.length(), token));
  }

  @Override
  public boolean renew(Lease lease) {
    return leasing.transact(connection -> leases.renew(connection, lease));
  }

  @Override
  public void release(Lease lease) {
    boolean done = leasing.transact(connection -> leases.release(connection, lease));
    assert done;
  }

  @Override
  public Optional<LeaseView> holder() {
    return reader.run(leases::holder);
  }

  @Override
  public void close() {
    reader.close();
    leasing.close();
    writer.close();
  }
}
