// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.Permissions;
import dev.clustered.agent.protocol.TreeEntry;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes a tree of the cache's contents. Files are copies: a rank may write into its own, and what
 * the cache has must stay as it is. One use, not thread-safe.
 */
final class TreeWriter {

  private static final long PIECE = 64L << 20;

  private static final Set<StandardOpenOption> NEW =
      EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  private final BlobCache cache;
  private final Wish wish;
  private final Path root;

  /** Directories that this made: nothing is written through anything else. */
  private final Set<Path> directories = new HashSet<>();

  TreeWriter(BlobCache cache, Wish wish, Path root) {
    this.cache = cache;
    this.wish = wish;
    this.root = root;
    directories.add(root);
  }

  /** Whether all was made before the work was to end. */
  boolean write(List<TreeEntry> entries) throws WorkFailure {
    for (TreeEntry entry : entries) {
      if (wish.ending().isPresent()) {
        return false;
      }
      try {
        write(entry, path(entry));
      } catch (IOException e) {
        throw Disk.failure("make " + entry.path(), root, entry.size(), e);
      }
    }
    // Last, and the innermost first: a directory may be closed to its owner.
    for (TreeEntry entry : entries.reversed()) {
      if (entry.kind() == TreeEntry.Kind.DIRECTORY) {
        try {
          Files.setPosixFilePermissions(path(entry), Permissions.of(entry.mode()));
        } catch (IOException e) {
          throw Disk.failure("set the permissions of " + entry.path(), root, 0, e);
        }
      }
    }
    return true;
  }

  private Path path(TreeEntry entry) throws WorkFailure {
    try {
      Path path = root.resolve(entry.path());
      if (path.normalize().equals(path) && directories.contains(path.getParent())) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw encoding(entry.path(), e);
    }
    throw new WorkFailure(
        ErrorCode.PREPARE_FAILED,
        "the tree has an entry that is in none of its directories: " + entry.path());
  }

  private static WorkFailure encoding(String name, InvalidPathException cause) {
    return new WorkFailure(
        ErrorCode.PREPARE_FAILED,
        "the node cannot write the name %s in its encoding of file names (%s); give it a UTF-8"
                .formatted(name, System.getProperty("sun.jnu.encoding"))
            + " locale",
        cause);
  }

  private void write(TreeEntry entry, Path path) throws IOException, WorkFailure {
    switch (entry.kind()) {
      case DIRECTORY -> {
        Files.createDirectory(path, Trees.ownerOnly());
        directories.add(path);
      }
      case LINK -> Files.createSymbolicLink(path, target(entry));
      case FILE -> {
        try (FileChannel output = FileChannel.open(path, NEW, Trees.ownerOnlyFile())) {
          if (entry.size() > 0) {
            copy(cache.path(entry.sha256()), output);
          }
        }
        Files.setPosixFilePermissions(path, Permissions.of(entry.mode()));
      }
    }
  }

  private static Path target(TreeEntry entry) throws WorkFailure {
    try {
      return Path.of(entry.target());
    } catch (InvalidPathException e) {
      throw encoding(entry.target(), e);
    }
  }

  private void copy(Path from, FileChannel output) throws IOException {
    try (FileChannel input = FileChannel.open(from)) {
      long size = input.size();
      long done = 0;
      while (done < size && wish.ending().isEmpty()) {
        done += input.transferTo(done, Math.min(PIECE, size - done), output);
      }
    }
  }
}
