// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** The program on a node and the protocol it speaks. */
@NullMarked
module dev.clustered.agent {
  requires com.sun.jna;
  requires org.slf4j;
  requires tools.jackson.databind;
  requires static org.jspecify;
}
