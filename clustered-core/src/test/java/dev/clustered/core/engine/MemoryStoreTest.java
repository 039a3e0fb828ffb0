// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.spi.StateStore;
import dev.clustered.testkit.StoreContract;
import dev.clustered.testkit.StoreLeaseContract;
import dev.clustered.testkit.StoreWritersContract;
import java.util.Collections;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {

  @Nested
  class Journal extends StoreContract {
    @Override
    protected StateStore store() {
      return new MemoryStore();
    }
  }

  @Nested
  class Writers extends StoreWritersContract {
    @Override
    protected StateStore store() {
      return new MemoryStore();
    }
  }

  @Nested
  class Leasing extends StoreLeaseContract {
    @Override
    protected StateStore store() {
      return new MemoryStore();
    }
  }

  @Test
  void forgetsTheOldestOfMoreThanAHundredThousandEntries() {
    try (MemoryStore store = new MemoryStore()) {
      for (int i = 1; i <= 110; i++) {
        assertThat(store.append(1, Collections.nCopies(1_000, "{}"))).isEqualTo(i * 1_000L);
      }
      assertThat(store.read(10_001, Integer.MAX_VALUE)).hasSize(100_000);
      assertThat(store.append(1, Collections.nCopies(1, "{}"))).isEqualTo(110_001);
    }
  }
}
