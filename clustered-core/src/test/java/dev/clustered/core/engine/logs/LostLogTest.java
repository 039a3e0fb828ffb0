// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.clustered.LogQuery.Follow;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LostLogTest {

  private static final ClusterId CLUSTER = new ClusterId("cl-1");

  @TempDir private Path directory;

  private static ByteArrayInputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aLogThatCannotBeKeptTakesEveryByteAndSaysSoToItsReaders() throws IOException {
    Path file = Files.createFile(directory.resolve("no-directory"));
    try (LogStore store = new LogStore(file)) {
      RankLog log = store.log(CLUSTER, 1, 0);
      assertThat(log.append(0, bytes("hello\n"))).isEqualTo(6);
      assertThat(log.append(6, bytes("again\n"))).isEqualTo(12);
      assertThat(log.append(0, bytes("hello\nagain\nmore\n"))).isEqualTo(17);
      assertThat(log.stored()).isZero();
      assertThat(log.tail()).contains("could not be kept", file.toString(), "17 bytes");
      assertThatIOException()
          .isThrownBy(() -> new RankLogInput(log, Follow.NO, OptionalInt.empty()))
          .withMessageContaining("could not be kept");
    }
  }

  @Test
  void aClosedStoreRefusesWithTheRemedyAndMakesNothingAnew() {
    LogStore store = new LogStore(directory);
    store.close();
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> store.log(CLUSTER, 1, 0))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_CLOSED))
        .withMessageContaining("logDirectory");
    assertThat(directory).isEmptyDirectory();
  }
}
