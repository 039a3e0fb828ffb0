// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.spi.StateStore;
import dev.clustered.testkit.DurableStoreContract;
import dev.clustered.testkit.StoreContract;
import dev.clustered.testkit.StoreLeaseContract;
import dev.clustered.testkit.StoreWritersContract;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** The contracts, kept by the store in a real server. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresStoreTest {

  private PostgresServer server;

  @BeforeAll
  void start() throws Exception {
    server = PostgresServer.start();
  }

  @AfterAll
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  @Nested
  class Journal extends StoreContract {
    @Override
    protected StateStore store() throws SQLException {
      return server.open(server.newSchema());
    }
  }

  @Nested
  class Writers extends StoreWritersContract {
    @Override
    protected StateStore store() throws SQLException {
      return server.open(server.newSchema());
    }
  }

  @Nested
  class Leasing extends StoreLeaseContract {
    @Override
    protected StateStore store() throws SQLException {
      return server.open(server.newSchema());
    }
  }

  @Nested
  class Durable extends DurableStoreContract {

    private String schema = "";

    @BeforeEach
    void makeSchema() throws SQLException {
      schema = server.newSchema();
    }

    @Override
    protected StateStore store() {
      return server.open(schema);
    }
  }
}
