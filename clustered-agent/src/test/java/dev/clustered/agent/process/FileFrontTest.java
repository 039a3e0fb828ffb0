// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileFrontTest {

  private static final int MEBIBYTE = 1 << 20;

  @TempDir Path directory;

  private Path ones(int size) throws Exception {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) 1);
    return Files.write(directory.resolve("file"), bytes);
  }

  @Test
  void whatIsFreedReadsAsZerosAndTheRestKeepsItsPlace() throws Exception {
    Path file = ones(4 * MEBIBYTE);
    FileFront front = new FileFront(file);
    front.free(3 * MEBIBYTE + 12_345);
    int freed = (int) front.freed();
    assertThat(freed).isEqualTo((3 * MEBIBYTE + 12_345 - 65_536) / 4_096 * 4_096);
    byte[] bytes = Files.readAllBytes(file);
    assertThat(bytes).hasSize(4 * MEBIBYTE);
    byte[] expected = new byte[4 * MEBIBYTE];
    Arrays.fill(expected, freed, expected.length, (byte) 1);
    assertThat(Arrays.mismatch(bytes, expected)).isEqualTo(-1);
  }

  @Test
  void littleIsLeftForLater() throws Exception {
    FileFront front = new FileFront(ones(2 * MEBIBYTE));
    front.free(MEBIBYTE);
    assertThat(front.freed()).isZero();
    front.free(2 * MEBIBYTE);
    assertThat(front.freed()).isGreaterThan(MEBIBYTE);
    long before = front.freed();
    front.free(MEBIBYTE);
    assertThat(front.freed()).isEqualTo(before);
  }

  @Test
  void whatCannotBeFreedIsLeftAsItIs() throws Exception {
    FileFront device = new FileFront(Path.of("/dev/null"));
    device.free(100 * MEBIBYTE);
    assertThat(device.freed()).isZero();
    FileFront absent = new FileFront(directory.resolve("absent"));
    absent.free(100 * MEBIBYTE);
    assertThat(absent.freed()).isZero();
    assertThat(directory.resolve("absent")).doesNotExist();
  }
}
