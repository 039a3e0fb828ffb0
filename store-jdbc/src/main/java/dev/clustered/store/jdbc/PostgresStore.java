// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Secret;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Durable state in PostgreSQL, or in a database that speaks as it does, for engines of several
 * machines.
 *
 * <p>The tables, whose names begin with {@code clustered_}, are made in the first schema of the
 * user's search path; engines that share a lease share it, others have a schema or a database of
 * their own. A store keeps three connections open. What may pass by itself (a restart of the
 * server, a broken connection, a conflict of transactions) is tried again for 30 seconds, and for 5
 * seconds when the store is opened; an append whose answer was lost is not written twice. The lease
 * is counted by the server's clock alone.
 */
public final class PostgresStore {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration OPENING = Duration.ofSeconds(5);
  private static final int CONNECT_SECONDS = 5;

  private PostgresStore() {}

  /**
   * The store in the database of a URL.
   *
   * @param url {@code jdbc:postgresql://HOST:PORT/DATABASE} and, after a question mark, settings of
   *     the driver, which no message repeats
   * @return a thread-safe store
   * @throws ClusterException with the code {@code INVALID_SETTING} when the database cannot be
   *     used, or {@code STORE_FAILED} when it does not answer
   */
  public static StateStore open(String url, String user, Secret password) {
    String shown = url.replaceFirst("[?].*", "");
    PGSimpleDataSource source = new PGSimpleDataSource();
    try {
      source.setURL(url);
    } catch (IllegalArgumentException e) {
      throw new ClusterException(
          ErrorCode.INVALID_SETTING,
          "the URL of a state store is jdbc:postgresql://HOST:PORT/DATABASE; received " + shown,
          e);
    }
    source.setUser(user);
    source.setPassword(password.reveal());
    source.setTcpKeepAlive(true);
    source.setConnectTimeout(CONNECT_SECONDS);
    source.setReWriteBatchedInserts(true);
    return open("the state store " + shown, source, PATIENCE);
  }

  /**
   * The store in the database of a data source, whose connections are kept: one that pools them is
   * of no use.
   *
   * @return a thread-safe store
   * @throws ClusterException as for a URL
   */
  public static StateStore open(DataSource source) {
    return open("the state store of the data source given", source, PATIENCE);
  }

  static StateStore open(String name, DataSource source, Duration patience) {
    PostgresDialect dialect = new PostgresDialect(name, source);
    return JdbcStore.open(
        dialect,
        OPENING,
        new Link(dialect, patience),
        new Link(dialect, patience),
        new Link(dialect, patience));
  }
}
