// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** The program on a node, and the protocol it speaks. */
@NullMarked
module dev.clustered.agent {
  requires transitive dev.clustered;
  requires transitive tools.jackson.databind;
  requires com.sun.jna;
  requires java.net.http;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.clustered.agent;
  exports dev.clustered.agent.protocol;
  exports dev.clustered.agent.worker;
}
