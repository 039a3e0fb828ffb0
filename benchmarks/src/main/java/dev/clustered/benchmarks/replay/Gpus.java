// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;

/** The nodes with GPUs on which whole-node gangs run. */
final class Gpus {

  static final Shape SHAPE =
      new Shape("gpu8", new Resources(8, "H200", 64, ByteSize.gibibytes(1024)), 8, 3200);

  private Gpus() {}
}
