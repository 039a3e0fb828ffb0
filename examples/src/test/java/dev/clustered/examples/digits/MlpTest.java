// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MlpTest {
  private static final long SEED = 7;

  @Test
  void computesTheGradientThatFiniteDifferencesShow() throws IOException {
    Samples batch = DigitsData.load(SEED).training().slice(0, 12);
    Mlp model = Mlp.initial(SEED);
    double[] gradient = new double[Mlp.SIZE];
    model.addGradient(batch, gradient);

    for (int index : new Random(SEED).ints(400, 0, Mlp.SIZE).toArray()) {
      assertThat(gradient[index])
          .as("parameter %d, seed %d", index, SEED)
          .isCloseTo(slope(model, batch, index), within(1e-5));
    }
  }

  private static double slope(Mlp model, Samples batch, int index) {
    double step = 1e-6;
    double middle = model.parameters()[index];
    double[] ignored = new double[Mlp.SIZE];
    model.parameters()[index] = middle + step;
    double above = model.addGradient(batch, ignored);
    model.parameters()[index] = middle - step;
    double below = model.addGradient(batch, ignored);
    model.parameters()[index] = middle;
    return (above - below) / (2 * step);
  }

  @Test
  void addsTheGradientsOfTheSharesUpToThatOfTheBatch() throws IOException {
    Samples batch = DigitsData.load(SEED).training().slice(0, 13);
    Mlp model = Mlp.initial(SEED);
    double[] whole = new double[Mlp.SIZE];
    double[] parts = new double[Mlp.SIZE];
    double loss = model.addGradient(batch, whole);
    double lossOfParts = 0;
    for (int rank = 0; rank < 4; rank++) {
      lossOfParts += model.addGradient(batch.share(rank, 4), parts);
    }

    assertThat(lossOfParts).isCloseTo(loss, within(1e-12));
    assertThat(parts).containsExactly(whole, within(1e-12));
  }

  @Test
  void startsFromTheSameModelForTheSameSeedOnly() {
    assertThat(Mlp.initial(SEED).parameters()).isEqualTo(Mlp.initial(SEED).parameters());
    assertThat(Mlp.initial(SEED).parameters()).isNotEqualTo(Mlp.initial(8).parameters());
  }
}
