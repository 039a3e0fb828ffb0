// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.examples.console.EpochReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrainingTest {
  private static final TrainingOptions OPTIONS = TrainingOptions.ofEpochs(20);

  private final Ring ring = new Ring();

  @Test
  void recognisesNineteenOfTwentyTestImages() throws Exception {
    List<EpochReport> reports = new ArrayList<>();
    TrainingResult result =
        Training.alone(DigitsData.load(OPTIONS.seed()), OPTIONS).run(reports::add);

    assertThat(result.testAccuracy()).isGreaterThanOrEqualTo(0.95);
    assertThat(reports).extracting(EpochReport::epoch).hasSize(20).startsWith(1).endsWith(20);
    assertThat(reports.getLast().loss()).isLessThan(reports.getFirst().loss() / 10);
    assertThat(reports.getLast().accuracy()).isEqualTo(result.testAccuracy());
  }

  @Test
  void givesTheModelOfOneRankToRoundingOnFourRanks() throws Exception {
    DigitsData data = DigitsData.load(OPTIONS.seed());
    Mlp alone = Training.alone(data, OPTIONS).run(report -> {}).model();
    List<double[]> models =
        ring.run(
            4,
            (rank, addresses) -> {
              try (RingAllReduce allReduce =
                  RingAllReduce.connect(rank, addresses, Ring.PORT, Ring.LIMIT)) {
                Training training = new Training(data, OPTIONS, rank, 4, allReduce);
                return training.run(report -> {}).model().parameters();
              }
            });

    double difference = Models.relativeDifference(models.getFirst(), alone.parameters());
    assertThat(difference).as("relative difference").isPositive().isLessThan(1e-9);
    assertThat(models).allSatisfy(model -> assertThat(model).isEqualTo(models.getFirst()));
  }
}
