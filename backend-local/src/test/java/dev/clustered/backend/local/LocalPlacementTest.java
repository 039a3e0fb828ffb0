// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.groups.Tuple.tuple;

import dev.clustered.model.CapacityException;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NothingLeft.class)
class LocalPlacementTest {

  private static final Optional<RdmaOptions> RDMA = Optional.of(RdmaOptions.DEFAULT);

  @TempDir private Path directory;

  @Test
  void offersEveryShapeInEveryZoneWithWhatIsLeftThere() throws InterruptedException {
    try (OpenBackend local = open(LocalBackend.builder().zone("a").zone("b").nodes(3))) {
      local.launch("one", 1);
      assertThat(local.capacity().offers())
          .extracting(Offer::zone, offer -> offer.shape().name(), Offer::available)
          .containsExactly(
              tuple("a", "local.cpu", 2),
              tuple("a", "local.gpu8", 2),
              tuple("b", "local.cpu", 3),
              tuple("b", "local.gpu8", 3));
    }
  }

  @Test
  void countsAPlaceForANodeOfAnyShape() throws InterruptedException {
    try (OpenBackend local = open(LocalBackend.builder().nodes(3))) {
      local.launch("plain", 2);
      CapacityException refused =
          refusal(local, local.request("gpus", "local.gpu8", 2, Optional.empty()));
      assertThat(refused.asked()).isEqualTo(2);
      assertThat(refused.free()).isEqualTo(1);
    }
  }

  @Test
  void refusesRdmaOverTwoFabricsThoughTheZoneHasEnough() throws InterruptedException {
    try (OpenBackend local = open(LocalBackend.builder().nodes(5).fabricNodes(3))) {
      CapacityException refused = refusal(local, local.request("wide", "local.gpu8", 4, RDMA));
      assertThat(refused.free()).isEqualTo(3);
      assertThat(local.listed()).isEmpty();
      assertThat(local.launch("without", 4)).hasSize(4);
    }
  }

  @Test
  void keepsTheLargerFabricFreeForALargerLaunch() throws InterruptedException {
    try (OpenBackend local = open(LocalBackend.builder().nodes(5).fabricNodes(3))) {
      assertThat(fabrics(local.launch("small", 2))).containsOnly("local-a-f2");
      LaunchRequest large = local.request("large", "local.gpu8", 3, RDMA);
      assertThat(fabrics(local.capacity().launch(large))).containsOnly("local-a-f1");
    }
  }

  @Test
  void tellsZoneFabricBlockAndHostOfEveryNode() throws InterruptedException {
    try (OpenBackend local = open(LocalBackend.builder().nodes(4).fabricNodes(4).blockNodes(2))) {
      assertThat(local.launch("all", 4))
          .extracting(instance -> instance.topology().toString())
          .containsExactly(
              "zone=local-a/fabric=local-a-f1/block=local-a-f1-b1/host=local-a-h1",
              "zone=local-a/fabric=local-a-f1/block=local-a-f1-b1/host=local-a-h2",
              "zone=local-a/fabric=local-a-f1/block=local-a-f1-b2/host=local-a-h3",
              "zone=local-a/fabric=local-a-f1/block=local-a-f1-b2/host=local-a-h4");
    }
  }

  @Test
  void refusesWhatItNeverOffered() {
    try (OpenBackend local = open(LocalBackend.builder().nodes(2));
        OpenBackend other = open(LocalBackend.builder().zone("elsewhere"))) {
      assertThat(failure(local, other.request("far", 1)))
          .hasMessageContainingAll("far", "no zone elsewhere");
      assertThat(failure(local, local.request("none", 0))).hasMessageContaining("no node");
    }
  }

  private OpenBackend open(LocalBackend.Builder builder) {
    return OpenBackend.open(builder.factory(), directory);
  }

  private static CapacityException refusal(OpenBackend local, LaunchRequest request) {
    return catchThrowableOfType(CapacityException.class, () -> local.capacity().launch(request));
  }

  private static ClusterException failure(OpenBackend local, LaunchRequest request) {
    ClusterException failure =
        catchThrowableOfType(ClusterException.class, () -> local.capacity().launch(request));
    assertThat(failure.code()).isEqualTo(ErrorCode.LAUNCH_FAILED);
    return failure;
  }

  private static List<String> fabrics(List<Instance> instances) {
    return instances.stream()
        .map(instance -> instance.topology().at(TopologyPath.FABRIC).orElseThrow())
        .toList();
  }
}
