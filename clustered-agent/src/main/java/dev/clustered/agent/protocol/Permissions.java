// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The nine permission bits as the number that {@code chmod} takes. Stateless and thread-safe. */
public final class Permissions {

  /** From the highest bit, 0400, to the lowest. */
  private static final List<PosixFilePermission> BITS =
      List.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE,
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.GROUP_EXECUTE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_EXECUTE);

  private Permissions() {}

  /** The number of a set. */
  public static int mode(Set<PosixFilePermission> permissions) {
    int mode = 0;
    for (PosixFilePermission bit : BITS) {
      mode = mode << 1 | (permissions.contains(bit) ? 1 : 0);
    }
    return mode;
  }

  /** The set of a number; bits beyond the nine are passed over. */
  public static Set<PosixFilePermission> of(int mode) {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < BITS.size(); i++) {
      if ((mode & (0400 >> i)) != 0) {
        permissions.add(BITS.get(i));
      }
    }
    return permissions;
  }
}
