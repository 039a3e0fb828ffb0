// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

/** How long a cluster lives beside its engine. */
public enum Lifetime {
  /** It ends with the engine. */
  ATTACHED,
  /** It outlives the engine. */
  DETACHED
}
