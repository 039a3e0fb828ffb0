// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class ClusterExitTest {

  @Test
  void isZeroOnSuccessAlone() {
    ClusterExit success = exit(ClusterExit.Outcome.SUCCEEDED, Optional.empty());
    assertThat(success.success()).isTrue();
    assertThat(success.exitCode()).isZero();
    assertThat(exit(ClusterExit.Outcome.STOPPED, Optional.empty()).exitCode()).isEqualTo(1);
    assertThat(failed(new ProcessEnd.Code(0)).exitCode()).isEqualTo(1);
  }

  @Test
  void passesOnTheCodeOfTheRankThatFailedFirst() {
    assertThat(failed(new ProcessEnd.Code(3)).exitCode()).isEqualTo(3);
    assertThat(failed(new ProcessEnd.NotStarted(127, "no such file")).exitCode()).isEqualTo(127);
  }

  @Test
  void turnsSignalsIntoCodesAsShellsDo() {
    assertThat(failed(new ProcessEnd.Signal(9)).exitCode()).isEqualTo(137);
    assertThat(failed(new ProcessEnd.Signal(15)).exitCode()).isEqualTo(143);
  }

  @Test
  void isOneForEverythingElse() {
    assertThat(failed(new ProcessEnd.Unknown("node lost")).exitCode()).isEqualTo(1);
    assertThat(exit(ClusterExit.Outcome.FAILED, Optional.empty()).exitCode()).isEqualTo(1);
  }

  @Test
  void showsHowAProcessEnded() {
    assertThat(new ProcessEnd.Code(137)).hasToString("exit code 137");
    assertThat(new ProcessEnd.Signal(9)).hasToString("signal 9");
    assertThat(new ProcessEnd.NotStarted(127, "no such file"))
        .hasToString("not started (code 127): no such file");
    assertThat(new ProcessEnd.Code(0).success()).isTrue();
    assertThat(new ProcessEnd.Signal(0).success()).isFalse();
  }

  private static ClusterExit failed(ProcessEnd end) {
    Cause cause = new Cause(ErrorCode.RANK_FAILED, OptionalInt.of(1), Optional.of(end), "rank 1");
    return exit(ClusterExit.Outcome.FAILED, Optional.of(cause));
  }

  private static ClusterExit exit(ClusterExit.Outcome outcome, Optional<Cause> cause) {
    return new ClusterExit(new ClusterId("c"), 1, outcome, cause, List.of());
  }
}
