// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

/** Whether a node may be given to a gang. */
public enum NodeHealth {
  /** Its agent reports; what is free of it may be given away. */
  READY,
  /** Launched, and not yet heard of. */
  BOOTING,
  /** Not to be used any more, such as one that is being given back. */
  CORDONED,
  /** It was judged unfit to work: whoever runs there needs another node. */
  FAULTY,
  /** Its agent fell silent. */
  LOST
}
