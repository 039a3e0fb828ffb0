// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Orphan;
import dev.clustered.model.PoolNode;
import dev.clustered.model.Usage;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.StateStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The control plane inside the host program. Thread-safe. */
public interface ClusterEngine extends AutoCloseable {

  /** A launch on this engine. */
  Launch launch(ClusterSpec spec);

  /** The running or ended cluster of this identity. */
  Optional<Cluster> find(ClusterId id);

  /** All clusters that run, in the order of their launch. */
  List<Cluster> clusters();

  /** All launches that do not run yet, in the order of their launch. */
  List<PendingCluster> pending();

  /** All nodes held, warm or busy. */
  List<PoolNode> pool();

  /**
   * Instances that carry this engine's label and that it does not hold, found by comparing with
   * what the backends list, the newest last; the last 1,000. Each is ended as soon as it is found.
   */
  List<Orphan> orphans();

  /** What all clusters and idle nodes used so far. */
  Usage usage();

  /** Ends every cluster and launch, gives every node back, and returns when nothing is left. */
  @Override
  void close();

  /** Configures an engine. Not thread-safe. */
  interface Builder {

    /** Whether backends on the class path are found; on by default. */
    enum Discovery {
      ON,
      OFF
    }

    /** Switches the discovery of backends. */
    Builder discovery(Discovery discovery);

    /** A backend, in addition to those discovered. */
    Builder backend(BackendFactory factory);

    /** A setting of a backend: {@code setting("local", "nodes", "8")}. */
    Builder setting(String backend, String key, String value);

    /** A listener to the events of all clusters. */
    Builder listener(ClusterListener listener);

    /** How long a node without work is kept; zero by default. */
    Builder idleNodeTime(Duration time);

    /**
     * How long a node may be silent before it counts as lost; 13 s by default, so that a silent one
     * is known within 15 s.
     */
    Builder silenceLimit(Duration limit);

    /**
     * How long a node's agent runs on without hearing from the engine; 60 s by default.
     *
     * @param lease longer than the silence limit, or a node could end before it counts as lost
     */
    Builder lease(Duration lease);

    /**
     * The ports from which each attempt gets one of its leader's address; 21,000 to 28,999 by
     * default, which lies outside the range that Linux gives to outgoing connections.
     *
     * @param first 10,000 or more
     * @param last {@code first} to 65,535
     */
    Builder portRange(int first, int last);

    /** Where logs are kept after the engine's end; without it they are deleted with the engine. */
    Builder logDirectory(Path directory);

    /**
     * Where the journal is kept; in memory by default. An engine that is opened with a store that
     * another one has written goes on with its clusters, when it has the {@link #directory} of that
     * one too; while another engine leads, {@link #open} waits.
     */
    Builder store(StateStore store);

    /**
     * A directory that stays when the engine closes or its program crashes: for the identity by
     * which agents know the engine, which is secret, and for logs. Without one all is in a
     * temporary directory, and no engine can go on with the clusters of this one.
     */
    Builder directory(Path directory);

    /**
     * After which time another engine with the same store may lead when this one is not heard any
     * more; 10 s by default.
     *
     * @param time 500 ms or more
     */
    Builder leadership(Duration time);

    /**
     * The running engine.
     *
     * @throws dev.clustered.model.ClusterException when a setting is unusable or a backend fails
     */
    ClusterEngine open();
  }
}
