// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** Makes and deletes directories of nodes. */
final class Directories {

  private static final int MOST_TRIES = 100;

  private Directories() {}

  /** Makes a directory that nobody else may look into, because join tokens lie in it. */
  static Path createPrivate(Path directory) throws IOException {
    Files.createDirectories(directory.getParent());
    return Files.createDirectory(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /** The same for one that may be there, made by whoever; then it stays as it is. */
  static Path makePrivate(Path directory) throws IOException {
    return Files.isDirectory(directory) ? directory : createPrivate(directory);
  }

  /** Deletes a directory with all it holds, and follows no link; nothing when it is gone. */
  static void delete(Path directory) throws IOException {
    for (int tries = 1; Files.exists(directory, LinkOption.NOFOLLOW_LINKS); tries++) {
      try {
        Files.walkFileTree(directory, new Deletion());
      } catch (NoSuchFileException | DirectoryNotEmptyException e) {
        // Somebody else, an agent's guardian say, deletes or writes there at the same time.
        if (tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
