// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Programs that stand in the place of a launcher's own. */
final class Programs {

  private Programs() {}

  /** Makes a shell script that can be run by its name; gives a path on which it is found. */
  static String path(Path directory, String name, String script) throws IOException {
    Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return directory + ":/usr/bin:/bin";
  }
}
