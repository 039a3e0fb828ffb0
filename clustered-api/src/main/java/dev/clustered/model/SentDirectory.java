// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory of this machine whose tree every rank finds in its working directory. It is read when
 * the launch is made: files, directories, empty ones too, symbolic links as links, wherever they
 * lead, and permissions. Immutable and thread-safe.
 *
 * @param path the directory, made absolute
 * @param excludes glob patterns of what is left out, as {@link java.nio.file.FileSystem} has them;
 *     one without {@code /} is held against the name of everything in the tree, one with it against
 *     the whole path below the directory. A directory that is left out is left out whole
 */
public record SentDirectory(Path path, List<String> excludes) {

  public SentDirectory {
    path = path.toAbsolutePath().normalize();
    excludes = List.copyOf(excludes);
  }

  /** A directory without exception. */
  public static SentDirectory of(Path path) {
    return new SentDirectory(path, List.of());
  }

  /** The same without what these patterns name, in addition to those before. */
  public SentDirectory withExcludes(String... patterns) {
    List<String> more = new ArrayList<>(excludes);
    more.addAll(List.of(patterns));
    return new SentDirectory(path, more);
  }
}
