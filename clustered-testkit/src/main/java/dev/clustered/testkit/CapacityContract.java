// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.model.CapacityException;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@code CapacityProvider} keeps: all nodes of a launch or none, nothing twice, nothing
 * left. A backend's test class extends this one together with {@link CapacityRaceContract} and
 * {@link RdmaContract}. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class CapacityContract {

  @TempDir private Path directory;
  private TestedBackend tested;

  /** For subclasses. */
  protected CapacityContract() {}

  /** The backend's factory. */
  protected abstract BackendFactory factory();

  /**
   * Settings that differ from the defaults; with them there must be an offer of 2 to 64 nodes whose
   * limit is known, because the contract launches all of them and asks for more.
   */
  protected Map<String, String> settings() {
    return Map.of();
  }

  /** A valid start-up document for a node's agent, which may never reach an engine. */
  protected abstract String bootstrapDocument(NodeId node);

  @BeforeEach
  void open() {
    tested = TestedBackend.open(factory(), settings(), directory, this::bootstrapDocument);
  }

  @AfterEach
  void close() {
    tested.close();
  }

  @Test
  void offersInAStableOrder() {
    List<Offer> offers = tested.capacity().offers();
    assertThat(offers).isNotEmpty().doesNotHaveDuplicates();
    assertThat(tested.capacity().offers()).isEqualTo(offers);
    assertThat(offers).extracting(Offer::backend).containsOnly(factory().name());
  }

  @Test
  void launchesOneInstanceForEachBootstrapInThatOrderInOneZone() throws InterruptedException {
    LaunchRequest request = tested.request("order", tested.offerFor(2), 2);
    List<Instance> launched = tested.capacity().launch(request);
    assertThat(launched).extracting(Instance::node).containsExactlyElementsOf(nodes(request));
    assertThat(launched).extracting(Instance::id).doesNotHaveDuplicates();
    assertThat(launched).extracting(i -> i.offer().zone()).containsOnly(request.offer().zone());
  }

  @Test
  void labelsEveryInstanceAndListsOnlyTheOwners() throws InterruptedException {
    Offer offer = tested.offerFor(2);
    LaunchRequest ours = tested.request("ours", "owner-a", offer, 1, java.util.Optional.empty());
    LaunchRequest other = tested.request("other", "owner-b", offer, 1, java.util.Optional.empty());
    List<Instance> launched = tested.capacity().launch(ours);
    tested.capacity().launch(other);
    List<Instance> listed = tested.capacity().list("owner-a");
    assertThat(TestedBackend.ids(listed)).isEqualTo(TestedBackend.ids(launched));
    Instance instance = listed.getFirst();
    assertThat(instance.owner()).isEqualTo("owner-a");
    assertThat(instance.launch()).isEqualTo(ours.id());
    assertThat(instance.node()).isEqualTo(ours.nodes().getFirst().node());
    assertThat(instance.offer().shape()).isEqualTo(offer.shape());
    assertThat(instance.toString()).doesNotContain(ours.nodes().getFirst().document());
    assertThat(tested.capacity().list("owner-nobody")).isEmpty();
  }

  @Test
  void givesTheSameAnswerToTheSameLaunchAndLaunchesNothingTwice() throws InterruptedException {
    LaunchRequest request = tested.request("again", tested.offerFor(2), 2);
    List<Instance> first = tested.capacity().launch(request);
    List<Instance> second = tested.capacity().launch(request);
    assertThat(TestedBackend.ids(second)).isEqualTo(TestedBackend.ids(first));
    assertThat(tested.alive("owner-a")).hasSize(2);
  }

  @Test
  void startsNothingWhenALaunchIsRepeatedAfterItsEnd() throws InterruptedException {
    LaunchRequest request = tested.request("late", tested.offerFor(1), 1);
    tested.terminate(tested.capacity().launch(request));
    try {
      tested.capacity().launch(request);
    } catch (dev.clustered.model.ClusterException refused) {
      assertThat(refused).hasMessageContaining("late");
    }
    assertThat(tested.alive("owner-a")).isEmpty();
  }

  @Test
  void refusesMoreThanThereAreWithNumbersAndLeavesNothing() throws InterruptedException {
    Offer offer = limitedOffer();
    int asked = offer.available() + 1;
    CapacityException refused =
        catchThrowableOfType(
            CapacityException.class,
            () -> tested.capacity().launch(tested.request("many", offer, asked)));
    assertThat(refused).as("asking %d of %s", asked, offer).isNotNull();
    assertThat(refused.asked()).isEqualTo(asked);
    assertThat(refused.free()).isBetween(0, offer.available());
    assertThat(refused).hasMessageContainingAll(String.valueOf(asked), offer.zone());
    assertThat(tested.alive("owner-a")).isEmpty();
  }

  @Test
  void grantsTheWholeLimitAgainAfterARefusalAndAfterAnEnd() throws InterruptedException {
    Offer offer = limitedOffer();
    int all = offer.available();
    LaunchRequest tooMany = tested.request("many", offer, all + 1);
    assertThatThrownBy(() -> tested.capacity().launch(tooMany))
        .isInstanceOf(CapacityException.class);
    tested.terminate(tested.capacity().launch(tested.request("all", offer, all)));
    assertThat(tested.capacity().launch(tested.request("all-again", offer, all))).hasSize(all);
  }

  @Test
  void hasEndedEveryInstanceForSureWhenTerminateReturns() throws InterruptedException {
    List<Instance> launched =
        tested.capacity().launch(tested.request("end", tested.offerFor(2), 2));
    tested.terminate(launched.subList(0, 1));
    assertThat(tested.alive("owner-a"))
        .extracting(Instance::id)
        .containsExactly(launched.get(1).id());
    tested.terminate(launched);
    assertThat(tested.alive("owner-a")).isEmpty();
  }

  @Test
  void terminatesABatchThatHoldsInstancesThatAreGone() throws InterruptedException {
    Offer offer = tested.offerFor(2);
    List<Instance> gone = tested.capacity().launch(tested.request("gone", offer, 1));
    tested.terminate(gone);
    tested.terminate(gone);
    List<Instance> batch = new ArrayList<>(gone);
    batch.addAll(tested.capacity().launch(tested.request("here", offer, 1)));
    tested.terminate(batch);
    assertThat(tested.alive("owner-a")).isEmpty();
  }

  @Test
  void terminatesNothingWhenNothingIsNamed() throws InterruptedException {
    tested.capacity().launch(tested.request("stay", tested.offerFor(1), 1));
    tested.capacity().terminate(List.of());
    assertThat(tested.alive("owner-a")).hasSize(1);
  }

  private Offer limitedOffer() {
    Offer offer = tested.offerFor(2);
    assertThat(offer.available())
        .as("the contract needs a known limit of %s", offer)
        .isLessThan(65);
    return offer;
  }

  private static List<NodeId> nodes(LaunchRequest request) {
    return request.nodes().stream().map(LaunchRequest.Bootstrap::node).toList();
  }
}
