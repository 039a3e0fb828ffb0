// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.files;

import dev.clustered.core.control.BlobSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A file of the user's as it was when it was read; it is sent from where it lies. Immutable and
 * thread-safe.
 *
 * @param size its length then, in bytes
 * @param changed its time of change then
 */
record LocalFile(Path path, long size, FileTime changed) implements BlobSource.Blob {

  private static final int BUFFER = 128 * 1024;

  static LocalFile of(Path path, BasicFileAttributes attributes) {
    return new LocalFile(path, attributes.size(), attributes.lastModifiedTime());
  }

  /**
   * The SHA-256 of its content in lower-case hex.
   *
   * @throws IOException also when it has changed meanwhile
   */
  String digest() throws IOException {
    MessageDigest digest = sha256();
    byte[] buffer = new byte[(int) Math.min(BUFFER, size + 1)];
    try (InputStream input = Files.newInputStream(path)) {
      int read = input.read(buffer);
      while (read > 0) {
        digest.update(buffer, 0, read);
        if (Thread.currentThread().isInterrupted()) {
          throw new IOException("interrupted");
        }
        read = input.read(buffer);
      }
    }
    Optional<String> problem = problem();
    if (problem.isPresent()) {
      throw new IOException(problem.get());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public Optional<String> problem() {
    try {
      BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
      if (now.size() == size && now.lastModifiedTime().equals(changed)) {
        return Optional.empty();
      }
      return Optional.of(
          "the file %s has changed since the launch was made: %d bytes of %s then, %d bytes of %s"
                  .formatted(path, size, changed, now.size(), now.lastModifiedTime())
              + " now; launch again, and leave it alone until every rank runs");
    } catch (IOException e) {
      return Optional.of(
          "the file %s cannot be read any more (%s); it must stay until every rank runs"
              .formatted(path, e));
    }
  }

  @Override
  public void copy(long offset, OutputStream to) throws IOException {
    byte[] buffer = new byte[(int) Math.min(BUFFER, size + 1)];
    long left = size - offset;
    try (InputStream input = Files.newInputStream(path)) {
      input.skipNBytes(offset);
      while (left > 0) {
        int read = input.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read <= 0) {
          throw new IOException("the file " + path + " has become shorter");
        }
        to.write(buffer, 0, read);
        left -= read;
      }
    }
  }
}
