// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which GPUs a rank has, as its contract says. */
class GpuWatchTest {

  @Test
  void aRankWithoutGpusHasNone() {
    assertThat(GpuWatch.gpus(Map.of())).isEmpty();
    assertThat(GpuWatch.gpus(Map.of("CLUSTERED_GPUS_PER_NODE", "0", "CUDA_VISIBLE_DEVICES", "")))
        .isEmpty();
  }

  @Test
  void aWholeNodeHasAllOfThem() {
    assertThat(GpuWatch.gpus(Map.of("CLUSTERED_GPUS_PER_NODE", "3")))
        .containsExactly("0", "1", "2");
  }

  @Test
  void aPartOfANodeHasThoseOfItsContract() {
    assertThat(
            GpuWatch.gpus(
                Map.of("CLUSTERED_GPUS_PER_NODE", "2", "CUDA_VISIBLE_DEVICES", "5, GPU-5f3a")))
        .containsExactly("5", "GPU-5f3a");
  }

  @Test
  void whatFollowsOneThatCannotBeIsHidden() {
    assertThat(
            GpuWatch.gpus(Map.of("CLUSTERED_GPUS_PER_NODE", "4", "CUDA_VISIBLE_DEVICES", "1,-1,2")))
        .containsExactly("1");
  }
}
