// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigitsOptionsTest {

  @Test
  void takesFourNodesWhenNothingIsSaid() {
    assertThat(DigitsOptions.parse(List.of(), new Properties()))
        .isEqualTo(new DigitsOptions(4, 20));
  }

  @Test
  void prefersArgumentsToProperties() {
    Properties properties = new Properties();
    properties.setProperty("digits.nodes", "3");
    properties.setProperty("digits.epochs", "7");

    assertThat(DigitsOptions.parse(List.of("--nodes", "2"), properties))
        .isEqualTo(new DigitsOptions(2, 7));
  }

  @ParameterizedTest
  @CsvSource({
    "--nodes 0, --nodes takes a whole number of 1 or more",
    "--nodes, received nothing",
    "--epochs many, received many",
    "--node 4, unknown option --node"
  })
  void saysWhatIsWrongAndHowToCallIt(String arguments, String problem) {
    assertThatThrownBy(() -> DigitsOptions.parse(List.of(arguments.split(" ")), new Properties()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem)
        .hasMessageEndingWith("usage: digits [--nodes N] [--epochs N]");
  }
}
