// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterSpec;
import dev.clustered.spi.StateStore;
import dev.clustered.store.jdbc.SqliteStore;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The code of the guide's page on durable state. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class DurableGuideTest {

  @TempDir Path directory;

  @Test
  void theJournalOutlivesItsEngine() throws Exception {
    Path file = directory.resolve("state/engine.db");
    ClusterSpec spec = ClusterSpec.builder("hello").command("true").build();
    // region store
    try (ClusterEngine engine =
            Clusters.engine()
                .store(SqliteStore.open(file))
                .directory(directory.resolve("state"))
                .open();
        Cluster cluster = engine.launch(spec).await()) {
      System.out.println(cluster.join().outcome());
    }
    // endregion
    // region read
    try (StateStore store = SqliteStore.open(file)) {
      long next = store.snapshot().map(StateStore.Snapshot::position).orElse(0L) + 1;
      store.read(next, 100).forEach(entry -> System.out.println(entry.json()));
    }
    // endregion
    try (StateStore store = SqliteStore.open(file)) {
      assertThat(store.read(1, 100))
          .hasSizeGreaterThan(5)
          .first()
          .extracting(StateStore.Entry::json)
          .asString()
          .contains("Submitted", "hello");
    }
  }
}
