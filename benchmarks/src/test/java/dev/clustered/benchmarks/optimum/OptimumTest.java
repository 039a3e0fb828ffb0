// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.optimum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OptimumTest {

  @Test
  void optimumFillsRacksExactlyWhereThatCanBe() {
    Optimum optimum = new Optimum(10);

    assertThat(optimum.nodes(new RackCase(List.of(5, 7), List.of(3, 4, 5)))).hasValue(12);
    assertThat(optimum.nodes(new RackCase(List.of(5, 7), List.of(8, 6, 6)))).hasValue(6);
    assertThat(optimum.nodes(new RackCase(List.of(4), List.of(5)))).hasValue(0);
  }

  @Test
  void planPlacesNearlyWhatCouldBePlaced() {
    OptimumRatio.Ratios ratios = OptimumRatio.ratios(20);

    assertThat(ratios.ratios()).hasSizeGreaterThan(15).allMatch(ratio -> ratio <= 1);
    assertThat(ratios.mean()).isGreaterThanOrEqualTo(0.99);
    assertThat(ratios.worst()).as("seed %d", ratios.worstSeed()).isGreaterThanOrEqualTo(0.95);
  }
}
