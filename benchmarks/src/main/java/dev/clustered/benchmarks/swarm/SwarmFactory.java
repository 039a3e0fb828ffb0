// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.swarm;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Market;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/** Makes the backend {@code swarm}. */
public final class SwarmFactory implements BackendFactory {

  private static final Shape SHAPE =
      new Shape("agent", new Resources(0, "", 1, ByteSize.gibibytes(1)), 0, 0);

  private final int agents;

  /** A factory of backends that have room for so many agents. */
  public SwarmFactory(int agents) {
    this.agents = agents;
  }

  @Override
  public String name() {
    return "swarm";
  }

  @Override
  public List<Setting> settings() {
    return List.of();
  }

  @Override
  public Backend create(BackendContext context) {
    Offer offer =
        new Offer(
            name(), SHAPE, "swarm-a", Market.ON_DEMAND, BigDecimal.ZERO, Duration.ZERO, agents);
    return new SwarmBackend(offer, context.directory());
  }
}
