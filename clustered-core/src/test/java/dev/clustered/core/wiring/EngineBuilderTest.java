// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineBuilderTest {

  private static void refused(Consumer<EngineBuilder> setting, String... said) {
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(
            () -> {
              EngineBuilder builder = new EngineBuilder();
              setting.accept(builder);
              builder.open().close();
            })
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
        .satisfies(e -> assertThat(e.getMessage()).contains(said));
  }

  @Test
  void refusesTimesOutOfRangeWithTheValue() {
    refused(b -> b.idleNodeTime(Duration.ofSeconds(-1)), "idleNodeTime", "PT-1S");
    refused(b -> b.silenceLimit(Duration.ofMillis(99)), "silenceLimit", "PT0.099S");
    refused(b -> b.lease(Duration.ofDays(4_000)), "lease", "PT96000H");
  }

  @Test
  void refusesALeaseThatANodeCouldNotRenewBeforeItCountsAsSilent() {
    refused(b -> b.lease(Duration.ofSeconds(13)), "lease", "longer than", "PT13S");
    refused(b -> b.silenceLimit(Duration.ofMinutes(2)), "lease", "longer than", "PT2M", "PT1M");
  }

  @Test
  void refusesALogDirectoryThatCannotBeWritten(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    refused(b -> b.logDirectory(file), "logDirectory", file.toString());
    refused(b -> b.logDirectory(file.resolve("below")), "logDirectory", "below");
  }

  @Test
  void refusesPortsOutOfRangeWithTheValues() {
    refused(b -> b.portRange(9_999, 20_000), "portRange", "9999 to 20000");
    refused(b -> b.portRange(20_000, 19_999), "portRange", "20000 to 19999");
    refused(b -> b.portRange(20_000, 65_536), "portRange", "20000 to 65536");
  }
}
