// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TorchrunCheckTest {
  private static final TorchrunOptions OPTIONS = new TorchrunOptions(2, 2, 1);

  @Test
  void acceptsEqualModelsThatRecogniseTheDigits() {
    TorchrunCheck check = check(node(process(0), process(1)), node(process(2), process(3)));

    assertThat(check.problems()).isEmpty();
    assertThat(check.accuracy()).isEqualTo(0.9);
  }

  @Test
  void missesAProcess() {
    assertThat(check(node(process(0), process(1)), node(process(3))).problems())
        .containsExactly("the process ranks are [0, 1, 3], expected 0 to 3 in this order");
  }

  @Test
  void findsTheProcessThatRecognisesTooFew() {
    ProcessResult poor = process(3, 0.89, "a");

    assertThat(check(node(process(0), process(1)), node(process(2), poor)).problems())
        .containsExactly("a process recognises 0.89 of the test images, expected at least 0.9");
  }

  @Test
  void findsAnAccuracyThatIsNoNumber() {
    ProcessResult broken = process(3, Double.NaN, "a");

    assertThat(check(node(process(0), process(1)), node(process(2), broken)).problems())
        .containsExactly("a process recognises NaN of the test images, expected at least 0.9");
  }

  @Test
  void findsModelsThatDiffer() {
    ProcessResult other = process(3, 0.9, "b");

    assertThat(check(node(process(0), process(1)), node(process(2), other)).problems())
        .containsExactly("the processes hold different models: [a, b]");
  }

  private static TorchrunCheck check(NodeResult... nodes) {
    return TorchrunCheck.of(List.of(nodes), OPTIONS);
  }

  private static NodeResult node(ProcessResult... processes) {
    return new NodeResult(List.of(processes));
  }

  private static ProcessResult process(int rank) {
    return process(rank, 0.9, "a");
  }

  private static ProcessResult process(int rank, double accuracy, String fingerprint) {
    return new ProcessResult(rank, accuracy, Duration.ofSeconds(1), fingerprint);
  }
}
