// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.nio.file.Path;
import java.util.Optional;

/** Finds this process's own cgroup v2 directory from the texts in /proc. Pure. */
final class CgroupLocation {
  private static final int ROOT = 3;
  private static final int MOUNT_POINT = 4;

  private CgroupLocation() {}

  /**
   * The directory, or nothing on a system that has cgroups of version 1 only or hides ours.
   *
   * @param mountInfo content of /proc/self/mountinfo
   * @param cgroup content of /proc/self/cgroup
   */
  static Optional<Path> find(String mountInfo, String cgroup) {
    return cgroup
        .lines()
        .filter(line -> line.startsWith("0::/"))
        .map(line -> line.substring("0::".length()))
        .filter(own -> !own.startsWith("/.."))
        .findFirst()
        .flatMap(
            own -> mountInfo.lines().flatMap(line -> directory(line, own).stream()).findFirst());
  }

  private static Optional<Path> directory(String mountLine, String own) {
    String[] halves = mountLine.split(" - ", 2);
    if (halves.length < 2 || !halves[1].startsWith("cgroup2 ")) {
      return Optional.empty();
    }
    String[] fields = halves[0].split(" ", -1);
    if (fields.length <= MOUNT_POINT) {
      return Optional.empty();
    }
    Path root = Path.of(unescape(fields[ROOT]));
    Path path = Path.of(own);
    return path.startsWith(root)
        ? Optional.of(Path.of(unescape(fields[MOUNT_POINT])).resolve(root.relativize(path)))
            .map(Path::normalize)
        : Optional.empty();
  }

  private static String unescape(String field) {
    return field
        .replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }
}
