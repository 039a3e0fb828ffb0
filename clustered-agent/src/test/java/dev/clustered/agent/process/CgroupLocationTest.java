// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CgroupLocationTest {
  private static final String UNIFIED =
      """
      22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw
      30 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate
      """;
  private static final String HYBRID =
      """
      31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
      32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
      41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
      """;
  private static final String VERSION_1 =
      """
      31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
      35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
      """;

  @Test
  void findsTheOwnDirectoryOnAUnifiedSystem() {
    assertThat(CgroupLocation.find(UNIFIED, "0::/user.slice/user-1000.slice\n"))
        .contains(Path.of("/sys/fs/cgroup/user.slice/user-1000.slice"));
  }

  @Test
  void findsTheUnifiedMountOnAHybridSystem() {
    assertThat(CgroupLocation.find(HYBRID, "4:memory:/api/8f\n1:cpu:/\n0::/\n"))
        .contains(Path.of("/sys/fs/cgroup/unified"));
  }

  @Test
  void findsNothingWithVersion1Only() {
    assertThat(CgroupLocation.find(VERSION_1, "4:memory:/api/8f\n1:name=systemd:/\n")).isEmpty();
    assertThat(CgroupLocation.find(VERSION_1, "0::/\n")).isEmpty();
  }

  @Test
  void takesTheMountedPartOfTheHierarchyIntoAccount() {
    String mount = "30 22 0:26 /docker/ab /my\\040groups rw - cgroup2 cgroup rw\n";
    assertThat(CgroupLocation.find(mount, "0::/docker/ab/inner\n"))
        .contains(Path.of("/my groups/inner"));
    assertThat(CgroupLocation.find(mount, "0::/docker/other\n")).isEmpty();
    assertThat(CgroupLocation.find(UNIFIED, "0::/../outside\n")).isEmpty();
  }
}
