// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.clustered.model.ClusterException;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Feature;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@code CapacityProvider} keeps about RDMA: one zone and one fabric, or a refusal;
 * never less in silence. A backend without the feature must refuse. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class RdmaContract {

  @TempDir private Path directory;
  private TestedBackend tested;

  /** For subclasses. */
  protected RdmaContract() {}

  /** The backend's factory. */
  protected abstract BackendFactory factory();

  /** Settings with which an RDMA offer of two nodes or more exists, where RDMA is a feature. */
  protected Map<String, String> settings() {
    return Map.of();
  }

  /** As in {@link CapacityContract#bootstrapDocument}. */
  protected abstract String bootstrapDocument(NodeId node);

  /** How long a launch takes at most until the topology of its instances is known. */
  protected Duration launchLimit() {
    return Duration.ofSeconds(30);
  }

  @BeforeEach
  void open() {
    tested = TestedBackend.open(factory(), settings(), directory, this::bootstrapDocument);
  }

  @AfterEach
  void close() {
    tested.close();
  }

  @Test
  void offersAShapeWithRdmaExactlyWhenItHasTheFeature() {
    assertThat(tested.capacity().offers().stream().anyMatch(offer -> offer.shape().rdma()))
        .as("RDMA among %s with the features %s", tested.capacity().offers(), features())
        .isEqualTo(tested.hasRdma());
    assertThat(features())
        .as("RDMA is real or simulated, not both")
        .isNotEqualTo(List.of(Feature.RDMA, Feature.SIMULATED_RDMA));
  }

  @Test
  void putsAllNodesOfALaunchIntoOneZoneAndOnOneFabric() throws InterruptedException {
    assumeThat(tested.hasRdma()).as("RDMA is a feature; its refusal is tested apart").isTrue();
    Offer offer = rdmaOffer();
    int nodes = Math.min(offer.available(), 4);
    tested.capacity().launch(request("fabric", offer, nodes, RdmaOptions.DEFAULT));
    Eventually.within(launchLimit()).passes(() -> assertOneFabric(nodes));
  }

  @Test
  void refusesRdmaOnAShapeWithoutItAndLeavesNothing() throws InterruptedException {
    Optional<Offer> plain =
        tested.capacity().offers().stream().filter(offer -> !offer.shape().rdma()).findFirst();
    assumeThat(plain).as("an offer without RDMA").isPresent();
    assertRefused(request("plain", plain.orElseThrow(), 1, RdmaOptions.DEFAULT));
  }

  @Test
  void refusesAHigherRateThanTheShapeHasAndLeavesNothing() throws InterruptedException {
    assumeThat(tested.hasRdma()).as("RDMA is a feature; its refusal is tested apart").isTrue();
    Offer offer = rdmaOffer();
    RdmaOptions faster = new RdmaOptions(offer.shape().rdmaGigabits() + 1);
    assertRefused(request("faster", offer, 2, faster));
  }

  private void assertOneFabric(int nodes) throws InterruptedException {
    List<Instance> alive = tested.alive("owner-a");
    assertThat(alive).hasSize(nodes);
    for (String level : List.of(TopologyPath.ZONE, TopologyPath.FABRIC)) {
      List<Optional<String>> values = alive.stream().map(i -> i.topology().at(level)).toList();
      assertThat(values).as(level + " of " + alive).doesNotContain(Optional.empty());
      assertThat(values.stream().distinct()).as(level + " of " + alive).hasSize(1);
    }
  }

  private void assertRefused(LaunchRequest request) throws InterruptedException {
    try {
      List<Instance> launched = tested.capacity().launch(request);
      throw new AssertionError("RDMA was not refused but launched without it: " + launched);
    } catch (ClusterException refused) {
      assertThat(refused).hasMessageContaining("RDMA").hasMessageContaining(request.offer().zone());
    }
    assertThat(tested.alive("owner-a")).isEmpty();
  }

  private List<Feature> features() {
    return List.copyOf(new java.util.TreeSet<>(tested.backend().features()));
  }

  private Offer rdmaOffer() {
    return tested.capacity().offers().stream()
        .filter(offer -> offer.shape().rdma() && offer.available() >= 2)
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionError(
                    "the contract needs an RDMA offer of two nodes; there are: "
                        + tested.capacity().offers()));
  }

  private LaunchRequest request(String id, Offer offer, int nodes, RdmaOptions options) {
    return tested.request(id, "owner-a", offer, nodes, Optional.of(options));
  }
}
