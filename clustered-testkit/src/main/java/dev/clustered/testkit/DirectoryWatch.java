// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Directories of ours in the directory for temporary files. */
record DirectoryWatch(Path parent, Set<Path> before) implements NothingLeft.Watch {

  static DirectoryWatch begin() {
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    return new DirectoryWatch(parent, Collections.unmodifiableSet(ours(parent)));
  }

  @Override
  public List<String> left() {
    Set<Path> now = ours(parent);
    now.removeAll(before);
    List<String> found = new ArrayList<>();
    now.forEach(directory -> found.add("directory " + directory + " with " + content(directory)));
    return found;
  }

  private static Set<Path> ours(Path parent) {
    Set<Path> found = new TreeSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent, "clustered-*")) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry)) {
          found.add(entry);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + parent, e);
    }
    return found;
  }

  private static List<String> content(Path directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
    } catch (IOException e) {
      return List.of("(unreadable: " + e + ")");
    }
    Collections.sort(names);
    return names;
  }
}
