// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Nodes that are processes on this machine; the backend to read first. */
@NullMarked
module dev.clustered.backend.local {
  requires transitive dev.clustered;
  requires dev.clustered.agent;
  requires org.slf4j;
  requires jdk.management;
  requires static org.jspecify;

  exports dev.clustered.backend.local;

  provides dev.clustered.spi.BackendFactory with
      dev.clustered.backend.local.LocalBackendFactory;
}
