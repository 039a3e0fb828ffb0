// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** The engine. */
@NullMarked
module dev.clustered.core {
  requires transitive dev.clustered;
  requires dev.clustered.agent;
  requires com.google.guice;
  requires jakarta.inject;
  requires jdk.httpserver;
  requires org.slf4j;
  requires static org.jspecify;

  opens dev.clustered.core.engine to
      com.google.guice,
      tools.jackson.databind;
  opens dev.clustered.core.wiring to
      com.google.guice;

  uses dev.clustered.spi.BackendFactory;

  provides dev.clustered.EngineProvider with
      dev.clustered.core.wiring.CoreEngineProvider;
}
