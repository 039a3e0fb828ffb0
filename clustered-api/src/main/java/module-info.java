// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** What applications and backend authors compile against. */
@NullMarked
module dev.clustered {
  requires static org.jspecify;

  exports dev.clustered;
  exports dev.clustered.model;
  exports dev.clustered.spi;

  uses dev.clustered.EngineProvider;
}
