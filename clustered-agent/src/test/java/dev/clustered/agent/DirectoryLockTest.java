// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {

  @TempDir private Path directory;

  @Test
  void isHeldAgainstOtherProgramsAlsoAfterThisOneTriedAgain() throws Exception {
    try (DirectoryLock lock = DirectoryLock.take(directory).orElseThrow()) {
      assertThat(DirectoryLock.take(directory)).as("a second lock beside %s", lock).isEmpty();
      assertThat(takenElsewhere()).isEqualTo("refused");
    }
    assertThat(directory).isEmptyDirectory();
    assertThat(takenElsewhere()).isEqualTo("taken");
  }

  @Test
  void isFreeOnceItsProgramHasDiedWithoutClosingIt() throws Exception {
    assertThat(takenElsewhere()).isEqualTo("taken");
    assertThat(directory).isNotEmptyDirectory();
    DirectoryLock.take(directory).orElseThrow().close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void isOneForAllNamesOfADirectory() throws Exception {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    try (DirectoryLock lock = DirectoryLock.take(link).orElseThrow()) {
      assertThat(DirectoryLock.take(real)).as("a second lock beside %s", lock).isEmpty();
    }
  }

  private String takenElsewhere() throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Other.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(other.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return said;
  }

  /** Tries to take the lock and dies without closing it. */
  static final class Other {

    private Other() {}

    public static void main(String[] arguments) throws IOException {
      boolean taken = DirectoryLock.take(Path.of(arguments[0])).isPresent();
      System.out.print(taken ? "taken" : "refused");
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }
}
