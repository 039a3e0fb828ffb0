// SPDX-License-Identifier: Apache-2.0

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks the format of all Java sources below the working directory, or applies it: the licence
 * line first, then what google-java-format makes of the rest, without unused imports.
 */
public final class SourceFormat {
  private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0\n";

  private SourceFormat() {}

  /** Takes {@code check} or {@code apply}; ends with code 1 if something is left to mend. */
  public static void main(String[] arguments) throws IOException {
    boolean apply = List.of(arguments).equals(List.of("apply"));
    if (!apply && !List.of(arguments).equals(List.of("check"))) {
      throw new IllegalArgumentException("takes check or apply, received " + List.of(arguments));
    }
    List<Path> unsettled =
        sources().parallelStream().filter(file -> !settled(file, apply)).toList();
    if (!unsettled.isEmpty()) {
      unsettled.forEach(file -> System.err.println("not formatted: " + file));
      System.err.println("To mend this, run: mvn -q -Pformat");
      System.exit(1);
    }
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(""))) {
      return modules.filter(Files::isDirectory).flatMap(SourceFormat::sourcesOf).sorted().toList();
    }
  }

  private static Stream<Path> sourcesOf(Path module) {
    Path root = module.resolve("src");
    if (!Files.isDirectory(root)) {
      return Stream.of();
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static boolean settled(Path file, boolean apply) {
    try {
      String source = Files.readString(file);
      String formatted = format(source);
      if (apply && !formatted.equals(source)) {
        Files.writeString(file, formatted);
      }
      return apply || formatted.equals(source);
    } catch (FormatterException failure) {
      System.err.println(file + ": " + failure.getMessage());
      return false;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String format(String source) throws FormatterException {
    String licensed = source.startsWith(LICENCE) ? source : LICENCE + "\n" + source;
    return new Formatter().formatSourceAndFixImports(licensed);
  }
}
