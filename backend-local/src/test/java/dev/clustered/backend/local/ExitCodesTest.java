// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.PendingCluster;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a rank ended reaches the result as it was: codes, signals and failed starts kept apart. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class ExitCodesTest {

  private static final int[] CODES = {0, 1, 2, 126, 127, 128, 137, 139, 143, 255};
  private static final int LAST_SIGNAL = 15;

  @TempDir private Path directory;

  @Test
  void keepsEveryCodeAndEverySignalApart() throws Exception {
    Map<String, ProcessEnd> expected = new LinkedHashMap<>();
    for (int code : CODES) {
      expected.put("exit " + code, new ProcessEnd.Code(code));
    }
    for (int signal = 1; signal <= LAST_SIGNAL; signal++) {
      expected.put("ulimit -c 0; kill -" + signal + " $$", new ProcessEnd.Signal(signal));
    }
    Map<String, PendingCluster> launched = new LinkedHashMap<>();
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      expected
          .keySet()
          .forEach(line -> launched.put(line, engine.launch(shell(1, line).build()).start()));
      for (Map.Entry<String, ProcessEnd> line : expected.entrySet()) {
        Cluster cluster = launched.get(line.getKey()).ready().get(1, TimeUnit.MINUTES);
        assertEnd(cluster.join(), line.getValue());
      }
    }
  }

  private static void assertEnd(ClusterExit exit, ProcessEnd end) {
    assertThat(exit.ranks().getFirst().end()).contains(end);
    assertThat(exit.success()).isEqualTo(end.equals(new ProcessEnd.Code(0)));
    int shell =
        switch (end) {
          case ProcessEnd.Code code -> code.code();
          case ProcessEnd.Signal signal -> 128 + signal.signal();
          case ProcessEnd.NotStarted notStarted -> notStarted.code();
          case ProcessEnd.Unknown unknown -> 1;
        };
    assertThat(exit.exitCode()).isEqualTo(shell);
  }

  @ParameterizedTest
  @EnumSource
  void triesAMissingExecutableOnce(Form form) {
    assertNotStarted(form, "no-such-program", 127);
  }

  @ParameterizedTest
  @EnumSource
  void triesAFileThatMayNotBeExecutedOnce(Form form) throws IOException {
    Path file = Files.writeString(directory.resolve("plain"), "#!/bin/sh\n");
    assertNotStarted(form, file.toString(), 126);
  }

  @ParameterizedTest
  @EnumSource
  void triesAFileOfAnUnknownFormatOnce(Form form) throws IOException {
    Path file = Files.write(directory.resolve("garbage"), new byte[] {0x7f, 'E', 'L', 'F', 0, 0});
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertNotStarted(form, file.toString(), 126);
  }

  @ParameterizedTest
  @EnumSource
  void triesADirectoryOnce(Form form) {
    assertNotStarted(form, directory.toString(), 126);
  }

  private static void assertNotStarted(Form form, String executable, int code) {
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command(executable).build();
    Events events = new Events();
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      ClusterException failure = form.failure(engine.launch(spec).withListener(events));
      assertThat(failure.code()).isEqualTo(ErrorCode.START_FAILED);
      assertThat(failure.retryable()).isFalse();
      assertThat(failure).hasMessageContaining("code " + code).hasMessageContaining(executable);
      assertThat(engine.pool()).isEmpty();
      assertThat(events.verdict().cause().orElseThrow().end())
          .containsInstanceOf(ProcessEnd.NotStarted.class);
    }
    assertThat(events.of(ClusterEvent.RankStarted.class)).isEmpty();
    assertThat(events.of(ClusterEvent.RankEnded.class))
        .isNotEmpty()
        .allSatisfy(end -> assertThat(end.attempt()).isEqualTo(1))
        .doesNotHaveDuplicates();
  }
}
