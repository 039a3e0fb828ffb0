// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Compute Engine instances with GPUDirect and RoCE networks as nodes. */
@NullMarked
module dev.clustered.backend.gcp {
  requires transitive dev.clustered;
  requires static org.jspecify;
}
