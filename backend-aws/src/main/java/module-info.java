// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** EC2 instances with EFA as nodes. */
@NullMarked
module dev.clustered.backend.aws {
  requires transitive dev.clustered;
  requires static org.jspecify;
}
