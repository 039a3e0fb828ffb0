// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class TorchrunOptionsTest {
  private final Properties properties = new Properties();

  @Test
  void takesTwoNodesWithTwoProcessesWhenNothingIsSaid() {
    assertThat(TorchrunOptions.parse(List.of(), properties))
        .isEqualTo(new TorchrunOptions(2, 2, 10));
  }

  @Test
  void takesEachNumberFromItsOptionOrItsProperty() {
    properties.setProperty("torchrun.nodes", "3");
    properties.setProperty("torchrun.processes", "4");

    assertThat(TorchrunOptions.parse(List.of("--processes", "5", "--epochs", "6"), properties))
        .isEqualTo(new TorchrunOptions(3, 5, 6));
  }

  @Test
  void namesThePropertyThatIsNoNumber() {
    properties.setProperty("torchrun.processes", "0");

    assertThatThrownBy(() -> TorchrunOptions.parse(List.of(), properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "torchrun.processes takes a whole number of 1 or more, received 0; "
                + "usage: torchrun [--nodes N] [--processes N] [--epochs N]");
  }
}
