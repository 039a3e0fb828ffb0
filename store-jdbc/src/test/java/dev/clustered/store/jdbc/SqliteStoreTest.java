// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.spi.StateStore;
import dev.clustered.testkit.DurableStoreContract;
import dev.clustered.testkit.StoreContract;
import dev.clustered.testkit.StoreLeaseContract;
import dev.clustered.testkit.StoreWritersContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The contracts, kept by the store in a file. */
class SqliteStoreTest {

  @TempDir private Path directory;

  private StateStore open() {
    return SqliteStore.open(directory.resolve("made/journal.db"));
  }

  @Nested
  class Journal extends StoreContract {
    @Override
    protected StateStore store() {
      return open();
    }
  }

  @Nested
  class Writers extends StoreWritersContract {
    @Override
    protected StateStore store() {
      return open();
    }
  }

  @Nested
  class Leasing extends StoreLeaseContract {
    @Override
    protected StateStore store() {
      return open();
    }
  }

  @Nested
  class Durable extends DurableStoreContract {
    @Override
    protected StateStore store() {
      return open();
    }
  }
}
