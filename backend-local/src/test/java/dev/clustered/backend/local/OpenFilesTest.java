// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterException;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.spi.LaunchRequest;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A launch that would use up the open files of this process is refused before it begins. */
class OpenFilesTest {

  private static LaunchRequest request(int nodes) {
    Shape shape = new Shape("s", new Resources(0, "", 1, ByteSize.ZERO), 0, 0);
    Offer offer =
        new Offer("local", shape, "a", Market.ON_DEMAND, BigDecimal.ZERO, Duration.ZERO, nodes);
    List<LaunchRequest.Bootstrap> all =
        IntStream.range(0, nodes)
            .mapToObj(n -> new LaunchRequest.Bootstrap(new NodeId("nd-" + n), ""))
            .toList();
    return new LaunchRequest(new LaunchId("la-1"), "me", offer, all, Optional.empty());
  }

  @Test
  void refusesWithTheNumbersAndWhatToDo() {
    assertThatThrownBy(() -> OpenFiles.requireRoom(request(256), 24, 3_136, 256))
        .isInstanceOf(ClusterException.class)
        .hasMessageContainingAll("256 nodes", "3,136 open files", "may have 256", "24 are open")
        .hasMessageContaining("ulimit -n");
  }

  @Test
  void takesWhatFitsAndWhatHasNoLimit() {
    assertThatCode(() -> OpenFiles.requireRoom(request(9), 100, 156, 256))
        .doesNotThrowAnyException();
    assertThatCode(() -> OpenFiles.requireRoom(request(9), 100, 1_000_000, -1))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> OpenFiles.requireRoom(request(9), 101, 156, 256))
        .isInstanceOf(ClusterException.class);
  }
}
