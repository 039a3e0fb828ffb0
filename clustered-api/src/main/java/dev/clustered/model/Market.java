// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** How a node is paid for. */
public enum Market {
  /** At the list price, until given back. */
  ON_DEMAND,
  /** Cheaper, and may be taken away. */
  SPOT,
  /** Paid for beforehand. */
  RESERVED
}
