// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import java.util.Set;

/**
 * A provider of nodes. All methods may be called from several threads, block, and react to
 * interruption; no thread outlives {@link #close}.
 */
public interface Backend extends AutoCloseable {

  /** What it can do. */
  Set<Feature> features();

  /** Its nodes. */
  CapacityProvider capacity();

  /** Ends what it holds and returns when nothing is left; a second call does nothing. */
  @Override
  void close();
}
