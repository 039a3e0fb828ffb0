// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessExitTest {
  @TempDir Path directory;

  static IntStream signals() {
    return IntStream.rangeClosed(1, 15);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 126, 127, 128, 137, 139, 143, 255})
  void keepsTheExitCode(int code) {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process = fixture.start("sh", "-c", "exit " + code);

      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Code(code));
    }
  }

  @ParameterizedTest
  @MethodSource("signals")
  void tellsASignalFromAnExitCode(int signal) {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process = fixture.start("sh", "-c", "kill -" + signal + " $$; exit 99");

      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Signal(signal));
    }
  }

  @Test
  void namesTheSignal() {
    assertThat(new ProcessExit.Signal(9)).hasToString("signal 9 (SIGKILL)");
    assertThat(new ProcessExit.Signal(40)).hasToString("signal 40");
    assertThat(new ProcessExit.Code(137)).hasToString("exit code 137");
  }

  @Test
  void sendsNoSignalOnceTheExitIsKnown() {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process = fixture.start("true");
      Fixture.exit(process);

      assertThat(process.signal(LibC.SIGKILL)).isFalse();
      assertThat(process.running()).isFalse();
    }
  }

  @Test
  void sendsSignalsToTheWholeProcessGroup() {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process =
          fixture.start("sh", "-c", "sleep 100 & echo $! >child; wait; echo never");
      int child = fixture.pidIn("child");

      assertThat(process.signal(LibC.SIGKILL)).isTrue();

      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Signal(9));
      Await.until("the child ends", Fixture.LIMIT, () -> !Fixture.alive(child));
    }
  }
}
