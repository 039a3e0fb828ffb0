// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import java.util.List;

/**
 * Makes a backend; found by {@link java.util.ServiceLoader} or given to the engine's builder.
 * Implementations have a public constructor without parameters and are stateless and thread-safe.
 */
public interface BackendFactory {

  /** The backend's name: lower-case letters, digits and hyphens; unique in an engine. */
  String name();

  /** Every setting the backend knows; the engine refuses any other. */
  List<Setting> settings();

  /**
   * A backend ready to be used.
   *
   * @throws dev.clustered.model.ClusterException with INVALID_SETTING when a value is unusable
   */
  Backend create(BackendContext context);
}
