// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** What to say when a node's disk does not do. Stateless. */
final class Disk {

  private Disk() {}

  /** Refuses what cannot fit, before anything is sent. */
  static void require(Path directory, long bytes) throws WorkFailure {
    if (has(directory, bytes)) {
      return;
    }
    throw new WorkFailure(
        ErrorCode.PREPARE_FAILED,
        "the files sent need %d bytes on the node, what it keeps of them included, but %s"
            .formatted(bytes, free(directory)));
  }

  static boolean has(Path directory, long bytes) throws WorkFailure {
    try {
      return Files.getFileStore(directory).getUsableSpace() >= bytes;
    } catch (IOException e) {
      throw failure("ask how much is free", directory, bytes, e);
    }
  }

  static WorkFailure failure(String what, Path near, long bytes, IOException cause) {
    return new WorkFailure(
        ErrorCode.PREPARE_FAILED,
        "the node could not %s (%d bytes): %s; %s".formatted(what, bytes, cause, free(near)),
        cause);
  }

  private static String free(Path near) {
    try {
      FileStore store = Files.getFileStore(near);
      return "%s has %d bytes free of %d"
          .formatted(near, store.getUsableSpace(), store.getTotalSpace());
    } catch (IOException e) {
      return "how much is free at " + near + " is not known (" + e + ")";
    }
  }
}
