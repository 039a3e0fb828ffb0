// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Contracts for backend authors, and what tests of clusters need. */
@NullMarked
module dev.clustered.testkit {
  requires transitive dev.clustered;
  requires transitive org.junit.jupiter.api;
  requires org.assertj.core;
  requires static org.jspecify;

  exports dev.clustered.testkit;
}
