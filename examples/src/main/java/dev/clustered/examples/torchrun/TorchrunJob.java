// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import dev.clustered.model.ClusterSpec;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** The training as a specification. Stateless and thread-safe. */
final class TorchrunJob {
  private static final String SCRIPT = "/dev/clustered/examples/torchrun/train.py";
  private static final String DATA = "/dev/clustered/examples/digits/digits.csv.gz";

  private TorchrunJob() {}

  /** The specification of a training with these options. */
  static ClusterSpec specification(TorchrunOptions options, TorchrunProgram torchrun)
      throws IOException {
    // region specification
    return ClusterSpec.builder("torchrun")
        .nodes(options.nodes())
        .file("train.py", resource(SCRIPT))
        .file("digits.csv.gz", resource(DATA))
        .command("torchrun", "train.py")
        .environment("PET_NPROC_PER_NODE", Integer.toString(options.processes()))
        .environment("EPOCHS", Integer.toString(options.epochs()))
        .environment("PATH", torchrun.searchPath())
        .environment("OMP_NUM_THREADS", "1")
        .grace(Duration.ofSeconds(5))
        .timeLimit(Duration.ofMinutes(10))
        .build();
    // endregion
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream resource = TorchrunJob.class.getResourceAsStream(name)) {
      if (resource == null) {
        throw new IOException("cannot load the training: no resource " + name);
      }
      return resource.readAllBytes();
    }
  }
}
