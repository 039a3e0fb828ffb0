// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** Directories that nobody else may read, and their deletion. Stateless. */
final class Trees {

  private static final String OWNER_ONLY = "rwx------";

  private Trees() {}

  static FileAttribute<?> ownerOnly() {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ONLY));
  }

  static FileAttribute<?> ownerOnlyFile() {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  }

  /** Makes a directory and its parents; the permissions of what exists stay. */
  static void create(Path directory) throws IOException {
    Files.createDirectories(directory, ownerOnly());
  }

  /** Deletes a directory and all in it, links but not what they lead to. */
  static void delete(Path root) throws IOException {
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(root, new Deletion());
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
        throws IOException {
      if (!Files.isWritable(directory) || !Files.isExecutable(directory)) {
        open(directory);
      }
      return FileVisitResult.CONTINUE;
    }

    // A workload may have closed a directory to its owner, which then cannot be listed.
    @Override
    public FileVisitResult visitFileFailed(Path path, IOException failure) throws IOException {
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || Files.isReadable(path)) {
        throw failure;
      }
      open(path);
      delete(path);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.delete(directory);
      return FileVisitResult.CONTINUE;
    }

    private static void open(Path directory) throws IOException {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(OWNER_ONLY));
    }
  }
}
