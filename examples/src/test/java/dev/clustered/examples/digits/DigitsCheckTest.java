// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DigitsCheckTest {
  private final Mlp alone = Mlp.initial(1);

  @Test
  void acceptsEqualModelsThatRecogniseTheDigits() {
    DigitsCheck check = DigitsCheck.of(List.of(leader(0.95, alone), follower(0.95, alone)), alone);

    assertThat(check.problems()).isEmpty();
  }

  @Test
  void findsTheRankThatRecognisesTooFew() {
    assertThat(
            DigitsCheck.of(List.of(leader(0.97, alone), follower(0.94, alone)), alone).problems())
        .singleElement()
        .asString()
        .startsWith("a rank recognises 0.94");
  }

  @Test
  void findsModelsThatDiffer() {
    Mlp other = Mlp.initial(1);
    other.parameters()[5] += 1e-6;

    assertThat(
            DigitsCheck.of(List.of(leader(0.97, other), follower(0.97, alone)), alone).problems())
        .satisfiesExactly(
            problem -> assertThat(problem).startsWith("the model differs from that of one rank"),
            problem -> assertThat(problem).isEqualTo("the ranks hold different models"));
  }

  @Test
  void findsAModelThatIsNoNumber() {
    Mlp broken = Mlp.initial(1);
    broken.parameters()[5] = Double.NaN;

    assertThat(DigitsCheck.of(List.of(leader(0.97, broken)), alone).problems())
        .singleElement()
        .asString()
        .contains("differs from that of one rank by NaN");
    assertThat(DigitsCheck.of(List.of(follower(0.97, alone)), alone).problems())
        .as("a result without a model")
        .hasSize(1);
  }

  private static DigitsResult leader(double accuracy, Mlp model) {
    return new DigitsResult(
        0,
        accuracy,
        Duration.ofSeconds(1),
        Models.fingerprint(model.parameters()),
        Arrays.stream(model.parameters()).boxed().toList());
  }

  private static DigitsResult follower(double accuracy, Mlp model) {
    return new DigitsResult(
        1, accuracy, Duration.ofSeconds(1), Models.fingerprint(model.parameters()), List.of());
  }
}
