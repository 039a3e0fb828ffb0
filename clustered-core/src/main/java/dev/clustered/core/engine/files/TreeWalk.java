// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.files;

import dev.clustered.agent.protocol.Permissions;
import dev.clustered.agent.protocol.TreeEntry;
import dev.clustered.model.SentDirectory;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what is in a directory. Follows no link below its root. One use, not thread-safe. */
final class TreeWalk {

  private final Path root;
  private final List<PathMatcher> byName = new ArrayList<>();
  private final List<PathMatcher> byPath = new ArrayList<>();
  private final Found found;

  /** Where what is found goes. */
  interface Found {
    void entry(TreeEntry entry);

    void file(String path, int mode, LocalFile file);

    void problem(String text);
  }

  TreeWalk(SentDirectory directory, Found found) {
    this.root = directory.path();
    this.found = found;
    for (String pattern : directory.excludes()) {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
      (pattern.contains("/") ? byPath : byName).add(matcher);
    }
  }

  void walk() throws IOException {
    // A link that names the directory itself is the user's way of naming it.
    Path top = root.toRealPath();
    Files.walkFileTree(top, new Below(top));
  }

  static int mode(Path path) throws IOException {
    return Permissions.mode(Files.getPosixFilePermissions(path));
  }

  private boolean excluded(Path relative) {
    Path name = relative.getFileName();
    return byName.stream().anyMatch(matcher -> matcher.matches(name))
        || byPath.stream().anyMatch(matcher -> matcher.matches(relative));
  }

  private final class Below extends SimpleFileVisitor<Path> {
    private final Path top;

    Below(Path top) {
      this.top = top;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
        throws IOException {
      if (Thread.currentThread().isInterrupted()) {
        return FileVisitResult.TERMINATE;
      }
      if (directory.equals(top)) {
        return FileVisitResult.CONTINUE;
      }
      Path relative = top.relativize(directory);
      if (excluded(relative) || !readable(relative)) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      found.entry(TreeEntry.directory(relative.toString(), mode(directory)));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Path relative = top.relativize(file);
      if (excluded(relative) || !readable(relative)) {
        return FileVisitResult.CONTINUE;
      }
      if (attributes.isSymbolicLink()) {
        Path target = Files.readSymbolicLink(file);
        if (readable(target)) {
          found.entry(TreeEntry.link(relative.toString(), target.toString()));
        }
      } else if (attributes.isRegularFile()) {
        found.file(relative.toString(), mode(file), LocalFile.of(file, attributes));
      } else {
        found.problem(
            "has %s, which is neither file, directory nor link (a socket, device or FIFO);"
                    .formatted(relative)
                + " exclude it");
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      Path relative = top.relativize(file);
      if (!excluded(relative)) {
        found.problem("has %s, which cannot be read (%s)".formatted(relative, failure));
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) {
      if (failure != null) {
        found.problem(
            "has %s, which cannot be listed (%s)".formatted(top.relativize(directory), failure));
      }
      return FileVisitResult.CONTINUE;
    }

    /** Whether a name can be written as text and read back as the same name. */
    private boolean readable(Path name) {
      try {
        if (Path.of(name.toString()).equals(name)) {
          return true;
        }
      } catch (InvalidPathException e) {
        // Told below.
      }
      found.problem(
          "has the name %s, whose bytes are no text in this program's encoding of file names (%s);"
                  .formatted(name, System.getProperty("sun.jnu.encoding"))
              + " rename it, exclude it, or run the program with a UTF-8 locale");
      return false;
    }
  }
}
