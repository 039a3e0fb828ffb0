// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** libibverbs through JNA: discovery, health, pair tests and a small transport. */
@NullMarked
module dev.clustered.rdma {
  requires transitive dev.clustered;
  requires static org.jspecify;
}
