// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.gpu;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A shared library with functions of NVIDIA's, which answers what files of the test say. It is
 * compiled, so that a real library is loaded and called the real way.
 */
public final class NvmlLibrary {

  private static final String SOURCE =
      """
      #include <stdio.h>
      #include <string.h>
      #include <unistd.h>

      typedef struct { unsigned int gpu; unsigned int memory; } utilization;

      static const char *uuid = "GPU-5f3a";

      static int number(const char *name, int absent) {
        char path[4096];
        int value = absent;
        snprintf(path, sizeof path, "%s/%s", ANSWERS, name);
        FILE *file = fopen(path, "r");
        if (file) {
          if (fscanf(file, "%d", &value) != 1) value = absent;
          fclose(file);
        }
        return value;
      }

      static void add(const char *name, int change) {
        char path[4096];
        int now = number(name, 0) + change;
        snprintf(path, sizeof path, "%s/%s", ANSWERS, name);
        FILE *file = fopen(path, "w");
        if (file) {
          fprintf(file, "%d", now);
          fclose(file);
        }
      }

      int nvmlInit_v2(void) {
        int code = number("init", 0);
        if (code == 0) add("users", 1);
        return code;
      }

      int nvmlShutdown(void) { add("users", -1); return 0; }

      int nvmlDeviceGetCount_v2(unsigned int *count) { *count = number("count", 2); return 0; }

      int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device) {
        *device = (void *) (long) (index + 1);
        return 0;
      }

      int nvmlDeviceGetHandleByUUID(const char *name, void **device) {
        *device = (void *) 1L;
        return strcmp(name, uuid) == 0 ? 0 : 6;
      }

      int nvmlDeviceGetUtilizationRates(void *device, utilization *rates) {
        char name[64];
        add("looks", 1);
        while (number("blocked", 0)) usleep(10000);
        snprintf(name, sizeof name, "error%ld", (long) device - 1);
        int code = number(name, 0);
        if (code) return code;
        snprintf(name, sizeof name, "gpu%ld", (long) device - 1);
        rates->gpu = number(name, 0);
        rates->memory = 77;
        return 0;
      }

      const char *nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Other"; }
      """;

  private final Path answers;
  private final Path library;

  private NvmlLibrary(Path answers, Path library) {
    this.answers = answers;
    this.library = library;
  }

  /** Two idle GPUs; skips the test where there is no compiler. */
  public static NvmlLibrary compile(Path directory) throws Exception {
    Path answers = Files.createDirectories(directory.resolve("nvml"));
    Path source = Files.writeString(answers.resolve("nvml.c"), SOURCE);
    Path library = answers.resolve("libnvidia-ml.so.1");
    boolean present =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "gcc")));
    if (!present && "required".equals(System.getenv("CLUSTERED_REAL_PARTS"))) {
      throw new AssertionError("gcc is absent, and CLUSTERED_REAL_PARTS=required");
    }
    Assumptions.assumeTrue(present, "there is no gcc to compile the library with");
    Process gcc =
        new ProcessBuilder(
                "gcc",
                "-shared",
                "-fPIC",
                "-DANSWERS=\"" + answers + "\"",
                "-o",
                library.toString(),
                source.toString())
            .inheritIO()
            .start();
    assertThat(gcc.waitFor(120, SECONDS)).isTrue();
    assertThat(gcc.exitValue()).isZero();
    return new NvmlLibrary(answers, library);
  }

  /** What it is loaded by. */
  public String path() {
    return library.toString();
  }

  /** How many hundredths of the time a GPU works from now on. */
  public NvmlLibrary gpu(int index, int percent) throws IOException {
    return answer("gpu" + index, percent);
  }

  /** Any number that the library looks up. */
  public NvmlLibrary answer(String name, int value) throws IOException {
    Path half = Files.writeString(answers.resolve(name + ".half"), Integer.toString(value));
    Files.move(half, answers.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    return this;
  }

  /** How often it was begun to be used and not given back. */
  public int users() {
    return counted("users");
  }

  /** How often a GPU was looked at. */
  public int looks() {
    return counted("looks");
  }

  private int counted(String name) {
    try {
      Path file = answers.resolve(name);
      String text = Files.exists(file) ? Files.readString(file) : "";
      return text.isEmpty() ? 0 : Integer.parseInt(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it was used, and is given back. */
  public void awaitNobody() {
    Eventually.until(() -> users() + " users", () -> looks() > 0 && users() == 0);
  }
}
