// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.Shape;
import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Feature;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Nodes that are processes on this machine. Thread-safe. */
public final class LocalBackend implements Backend {

  private final LocalCapacity capacity;
  private final AgentPlace agents;

  LocalBackend(LocalCapacity capacity, AgentPlace agents) {
    this.capacity = capacity;
    this.agents = agents;
  }

  /** A backend other than the default one. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Set<Feature> features() {
    Set<Feature> features =
        EnumSet.of(
            Feature.RDMA, Feature.SIMULATED_RDMA, Feature.HOST_VOLUMES, Feature.HOST_CLASS_PATH);
    if (agents == AgentPlace.OUTLIVING) {
      features.add(Feature.OUTLIVING_NODES);
    }
    return features;
  }

  @Override
  public CapacityProvider capacity() {
    return capacity;
  }

  /**
   * Ends every node, except where agents are {@link AgentPlace#OUTLIVING}: those stay, and the
   * directory is free for the next program.
   */
  @Override
  public void close() {
    capacity.close();
  }

  /**
   * Declares what the backend has; what is not called keeps its default. The values become the
   * defaults of the factory's settings, so the engine's settings still override them. Not
   * thread-safe.
   */
  public static final class Builder {

    private final List<String> zones = new ArrayList<>();
    private final List<Shape> shapes = new ArrayList<>();
    private int nodes = LocalSettings.DEFAULTS.nodes();
    private int fabricNodes = LocalSettings.DEFAULTS.fabricNodes();
    private int blockNodes = LocalSettings.DEFAULTS.blockNodes();
    private Duration bootTime = LocalSettings.DEFAULTS.bootTime();
    private BigDecimal hourlyPrice = LocalSettings.DEFAULTS.hourlyPrice();
    private Optional<Path> directory = LocalSettings.DEFAULTS.directory();
    private AgentPlace agents = LocalSettings.DEFAULTS.agents();

    private Builder() {}

    /** Adds a zone. */
    public Builder zone(String name) {
      zones.add(name);
      return this;
    }

    /** The most nodes in a zone at a time, whatever their shapes. */
    public Builder nodes(int mostInAZone) {
      nodes = mostInAZone;
      return this;
    }

    /** How many neighbouring nodes of a zone share an RDMA fabric. */
    public Builder fabricNodes(int onAFabric) {
      fabricNodes = onAFabric;
      return this;
    }

    /** How many neighbouring nodes of a fabric make a block. */
    public Builder blockNodes(int inABlock) {
      blockNodes = inABlock;
      return this;
    }

    /** Adds a shape, which every zone offers. */
    public Builder shape(Shape shape) {
      shapes.add(shape);
      return this;
    }

    /** How long a launch takes before its agents start. */
    public Builder bootTime(Duration time) {
      bootTime = time;
      return this;
    }

    /** The price of a node of any shape. */
    public Builder hourlyPrice(BigDecimal price) {
      hourlyPrice = price;
      return this;
    }

    /** Where agents run. */
    public Builder agents(AgentPlace place) {
      agents = place;
      return this;
    }

    /** Where the nodes of outliving agents lie; an absolute path that stays. */
    public Builder directory(Path path) {
      directory = Optional.of(path);
      return this;
    }

    /**
     * The factory, to be given to the engine's builder.
     *
     * @throws dev.clustered.model.ClusterException with INVALID_SETTING when a value is unusable
     */
    public BackendFactory factory() {
      LocalSettings settings =
          new LocalSettings(
              zones.isEmpty() ? LocalSettings.DEFAULTS.zones() : zones,
              nodes,
              fabricNodes,
              blockNodes,
              shapes.isEmpty() ? LocalSettings.DEFAULTS.shapes() : shapes,
              bootTime,
              agents,
              directory,
              hourlyPrice);
      return new LocalBackendFactory(SettingText.read(settings, Map.of()));
    }
  }
}
