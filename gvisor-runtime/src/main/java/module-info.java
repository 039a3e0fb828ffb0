// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** A node runtime that starts the workload under runsc. */
@NullMarked
module dev.clustered.gvisor {
  requires transitive dev.clustered;
  requires static org.jspecify;
}
