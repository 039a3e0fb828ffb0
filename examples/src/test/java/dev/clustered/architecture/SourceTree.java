// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of the project, found from the folder that tests run in. */
record SourceTree(Path root) {

  /** The folder above this one that holds the licence beside a build file. */
  static SourceTree find() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("LICENSE")) || !Files.exists(folder.resolve("pom.xml"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("no project above " + Path.of("").toAbsolutePath());
      }
    }
    return new SourceTree(folder);
  }

  /** Java files of every module below a folder such as {@code src/main/java}. */
  List<Path> java(String sourceFolder) {
    return modules().stream()
        .map(module -> module.resolve(sourceFolder))
        .filter(Files::isDirectory)
        .flatMap(folder -> filesBelow(folder, ".java").stream())
        .toList();
  }

  /** Pages for users: README.md and the guide. */
  List<Path> pages() {
    Path guide = root.resolve("docs/guide");
    Stream<Path> guidePages =
        Files.isDirectory(guide) ? filesBelow(guide, ".md").stream() : Stream.empty();
    return Stream.concat(Stream.of(root.resolve("README.md")), guidePages).toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Path> modules() {
    try (Stream<Path> entries = Files.list(root)) {
      return entries.filter(entry -> Files.exists(entry.resolve("pom.xml"))).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> filesBelow(Path folder, String ending) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
