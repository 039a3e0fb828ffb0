// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterSpec;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a log takes of the disk of a node while its rank runs. */
@Tag("integration")
@Timeout(180)
@ExtendWith(NothingLeft.class)
class LogSpaceTest {

  private static final long WRITTEN = 200_000_000;
  private static final int MOST_BLOCKS = 4_000_000 / 512;

  /** Its log is beside its working directory; it waits until little of it is left there. */
  private static final String SCRIPT =
      """
      seq 1 99999999 | head -c %d
      until [ "$(stat -c %%b ../log)" -lt %d ]; do sleep 0.05; done
      stat -c '[%%s, %%b]' ../log > $CLUSTERED_RESULT_FILE
      """
          .formatted(WRITTEN, MOST_BLOCKS);

  @Test
  void twoHundredMegabytesTakeLittleOfTheNodeAndAreAllInTheLog() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("space").nodes(1).script(SCRIPT).build();
    try (ClusterEngine engine = Clusters.engine().backend(LocalBackend.builder().factory()).open();
        Cluster cluster = engine.launch(spec).await()) {
      assertThat(cluster.join().success()).isTrue();
      String result = cluster.join().ranks().getFirst().result().orElseThrow();
      System.out.println("log space: size and blocks " + result);
      assertThat(result).startsWith("[" + WRITTEN + ",");
      try (LogStream log = cluster.logs(LogQuery.ofRank(0))) {
        assertNumbers(new BufferedInputStream(log.bytes(), 1 << 20));
      }
    }
  }

  private static void assertNumbers(InputStream bytes) throws IOException {
    long read = 0;
    for (int number = 1; read < WRITTEN; number++) {
      byte[] line = (number + "\n").getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < line.length && read < WRITTEN; i++) {
        if (bytes.read() != line[i]) {
          throw new AssertionError("byte " + read + " of the log is wrong");
        }
        read++;
      }
    }
    assertThat(bytes.read()).isEqualTo(-1);
  }
}
