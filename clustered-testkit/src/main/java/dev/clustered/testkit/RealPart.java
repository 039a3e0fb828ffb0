// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A part that a test needs and that is not ours: a program or a Python module. Where it is absent
 * the test is skipped with the reason, which is also added as {@code name TAB reason} to the file
 * that the system property {@value #REPORT_PROPERTY} names; with {@value #MODE_VARIABLE}{@code
 * =required} in the environment its absence is a failure. Immutable and thread-safe.
 *
 * <pre>{@code
 * Path torchrun = RealPart.executable("torchrun").require();
 * }</pre>
 */
public final class RealPart {

  /** The system property with the file that absences are added to. */
  public static final String REPORT_PROPERTY = "clustered.parts.report";

  /** The environment variable that makes absences failures when it is {@code required}. */
  public static final String MODE_VARIABLE = "CLUSTERED_REAL_PARTS";

  /** The environment variable with the Python interpreter to use instead of {@code python3}. */
  public static final String PYTHON_VARIABLE = "CLUSTERED_PYTHON";

  private static final long IMPORT_SECONDS = 120;

  private final String name;
  private final Search search;

  private RealPart(String name, Search search) {
    this.name = name;
    this.search = search;
  }

  /** How a part is looked for. */
  private interface Search {
    Found in(Map<String, String> environment);
  }

  /**
   * What a search came to.
   *
   * @param path where the part is; empty when it is absent
   * @param reason why it is absent
   */
  private record Found(Optional<Path> path, String reason) {}

  /**
   * A program, looked for in the given directories, beside the Python interpreter that {@value
   * #PYTHON_VARIABLE} names, and on the path.
   */
  public static RealPart executable(String name, Path... directories) {
    List<Path> first = List.of(directories);
    return new RealPart(name, environment -> executable(name, first, environment));
  }

  /** A Python module that can be imported; its path is that of the interpreter. */
  public static RealPart python(String module) {
    return new RealPart("python:" + module, environment -> module(module, environment));
  }

  /**
   * Where the part is.
   *
   * @throws org.opentest4j.TestAbortedException when it is absent
   * @throws AssertionError when it is absent and required
   */
  public Path require() {
    return require(
        System.getenv(), Optional.ofNullable(System.getProperty(REPORT_PROPERTY)).map(Path::of));
  }

  Path require(Map<String, String> environment, Optional<Path> report) {
    Found found = search.in(environment);
    if (found.path().isPresent()) {
      return found.path().get();
    }
    String missing = "the part " + name + " is absent: " + found.reason();
    if ("required".equals(environment.get(MODE_VARIABLE))) {
      throw new AssertionError(missing + " (" + MODE_VARIABLE + "=required)");
    }
    report.ifPresent(file -> append(file, name + "\t" + oneLine(found.reason()) + "\n"));
    return Assumptions.abort(missing);
  }

  private static Found executable(String name, List<Path> first, Map<String, String> environment) {
    List<Path> places = new ArrayList<>(first);
    Optional.ofNullable(environment.get(PYTHON_VARIABLE))
        .map(python -> Path.of(python).getParent())
        .ifPresent(places::add);
    Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
        .filter(place -> !place.isEmpty())
        .map(Path::of)
        .forEach(places::add);
    Optional<Path> path =
        places.stream().map(place -> place.resolve(name)).filter(RealPart::runs).findFirst();
    return new Found(path, "no program of this name in " + places);
  }

  private static boolean runs(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }

  private static Found module(String module, Map<String, String> environment) {
    String wanted = environment.getOrDefault(PYTHON_VARIABLE, "python3");
    Optional<Path> python =
        wanted.contains("/")
            ? Optional.of(Path.of(wanted)).filter(RealPart::runs)
            : executable(wanted, List.of(), environment).path();
    if (python.isEmpty()) {
      return new Found(python, "no Python interpreter " + wanted);
    }
    return imported(python.get(), module);
  }

  private static Found imported(Path python, String module) {
    try (ScratchFile output = ScratchFile.create()) {
      Process process =
          new ProcessBuilder(python.toString(), "-c", "import " + module)
              .redirectErrorStream(true)
              .redirectOutput(output.path().toFile())
              .start();
      if (!process.waitFor(IMPORT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        return new Found(Optional.empty(), "the import took more than " + IMPORT_SECONDS + " s");
      }
      boolean usable = process.exitValue() == 0;
      return new Found(
          Optional.of(python).filter(p -> usable), python + ": " + lastLine(output.path()));
    } catch (IOException e) {
      return new Found(Optional.empty(), python + " cannot be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Found(Optional.empty(), "interrupted while " + python + " imported it");
    }
  }

  private record ScratchFile(Path path) implements AutoCloseable {

    static ScratchFile create() throws IOException {
      return new ScratchFile(Files.createTempFile("real-part-", ".txt"));
    }

    @Override
    public void close() throws IOException {
      Files.deleteIfExists(path);
    }
  }

  private static String lastLine(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    return lines.isEmpty() ? "(it said nothing)" : lines.getLast();
  }

  private static String oneLine(String text) {
    return text.replaceAll("[\\t\\r\\n]+", " ");
  }

  private static void append(Path file, String line) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot add to the report of absent parts: " + file, e);
    }
  }
}
