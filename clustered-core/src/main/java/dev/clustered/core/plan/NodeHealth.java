// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

/** Whether a node may be used. */
public enum NodeHealth {
  READY,
  BOOTING,
  CORDONED,
  LOST
}
