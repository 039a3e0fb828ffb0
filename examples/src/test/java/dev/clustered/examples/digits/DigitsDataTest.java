// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DigitsDataTest {

  @Test
  void dealsEveryImageToExactlyOnePart() throws IOException {
    DigitsData data = DigitsData.load(1);
    List<Sample> all = new ArrayList<>(data.training().all());
    all.addAll(data.test().all());

    assertThat(data.test().size()).isEqualTo(359);
    assertThat(all).hasSize(1797).doesNotHaveDuplicates();
    assertThat(all).allSatisfy(sample -> assertThat(sample.digit()).isBetween(0, 9));
    assertThat(all)
        .allSatisfy(
            sample ->
                assertThat(Arrays.stream(sample.pixels()).boxed())
                    .hasSize(64)
                    .allSatisfy(pixel -> assertThat(pixel).isBetween(0.0, 1.0)));
    // The sums of the published file, so that a damaged copy shows.
    assertThat(all.stream().mapToInt(Sample::digit).sum()).isEqualTo(8070);
    assertThat(all.stream().mapToDouble(s -> 16 * Arrays.stream(s.pixels()).sum()).sum())
        .isEqualTo(561_718);
  }

  @Test
  void dealsTheSameForTheSameSeedOnly() throws IOException {
    assertThat(digits(DigitsData.load(1))).isEqualTo(digits(DigitsData.load(1)));
    assertThat(digits(DigitsData.load(1))).isNotEqualTo(digits(DigitsData.load(2)));
  }

  @Test
  void sharesABatchOutWithoutGapOrOverlap() throws IOException {
    Samples batch = DigitsData.load(1).training().slice(0, 10);
    List<Sample> dealt = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      Samples share = batch.share(rank, 4);
      assertThat(share.size()).isBetween(2, 3);
      dealt.addAll(share.all());
    }

    assertThat(dealt).isEqualTo(batch.all());
  }

  private static List<Integer> digits(DigitsData data) {
    return data.test().all().stream().map(Sample::digit).toList();
  }
}
