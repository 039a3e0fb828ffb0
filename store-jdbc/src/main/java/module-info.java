// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Durable engine state over JDBC. */
@NullMarked
module dev.clustered.store.jdbc {
  requires transitive dev.clustered;
  requires static org.jspecify;
}
