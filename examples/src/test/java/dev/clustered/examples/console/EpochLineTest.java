// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EpochLineTest {

  @Test
  void readsBackWhatItWrites() {
    EpochReport report = new EpochReport(12, 0.125, 0.975, Duration.ofMillis(1_234));

    assertThat(EpochLine.format(report))
        .isEqualTo("epoch=12 loss=0.125000 accuracy=0.975000 microseconds=1234000");
    assertThat(EpochLine.parse(EpochLine.format(report) + "\r")).contains(report);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "epoch=1",
        "epoch=99999999999 loss=1.0 accuracy=1.0 microseconds=1",
        "Picked up JAVA_TOOL_OPTIONS: epoch=1 loss=1.0 accuracy=1.0 microseconds=1"
      })
  void leavesOtherLinesAlone(String line) {
    assertThat(EpochLine.parse(line)).isEmpty();
  }
}
