// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.TreeEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A content that is on its way: a file that grows, and its digest so far. Not thread-safe. */
final class Partial {

  private static final Logger LOGGER = LoggerFactory.getLogger(Partial.class);

  private final TreeEntry entry;
  private final Path file;
  private final OutputStream output;
  private final MessageDigest digest = sha256();
  private long received;

  private Partial(TreeEntry entry, Path file, OutputStream output) {
    this.entry = entry;
    this.file = file;
    this.output = output;
  }

  static Partial begin(TreeEntry entry, Path file) throws WorkFailure {
    try {
      OutputStream output =
          Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new Partial(entry, file, output);
    } catch (IOException e) {
      throw Disk.failure("begin the file " + entry.path(), parent(file), entry.size(), e);
    }
  }

  private static Path parent(Path file) {
    Path parent = file.getParent();
    return parent == null ? file : parent;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  boolean of(TreeEntry other) {
    return entry.sha256().equals(other.sha256());
  }

  long received() {
    return received;
  }

  void add(byte[] bytes, int count) throws WorkFailure {
    digest.update(bytes, 0, count);
    received += count;
    try {
      output.write(bytes, 0, count);
    } catch (IOException e) {
      throw Disk.failure("write the file " + entry.path(), parent(file), entry.size(), e);
    }
  }

  /** Whether what came is what was asked for. Asked once. */
  boolean right() {
    return HexFormat.of().formatHex(digest.digest()).equals(entry.sha256());
  }

  void keep(BlobCache cache) throws WorkFailure {
    try {
      output.close();
      cache.put(entry.sha256(), file, entry.size());
    } catch (IOException e) {
      throw Disk.failure("keep the file " + entry.path(), parent(file), entry.size(), e);
    }
  }

  void close() {
    try {
      output.close();
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOGGER.debug("Part of a file not deleted file={}", file, e);
    }
  }
}
