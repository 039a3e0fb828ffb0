// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.protocol.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * Reads and writes the records of nodes, each in the node's directory. A record is there whole or
 * not at all, whatever dies, this machine included. Stateless.
 */
final class NodeRecords {

  private static final Logger LOG = LoggerFactory.getLogger(NodeRecords.class);

  private static final String NAME = "node.json";
  private static final String FRESH = "node.json.fresh";

  private NodeRecords() {}

  /** Writes a record in place of the one before; when this returns, it is on the disk. */
  static void write(Path home, NodeRecord record) throws IOException {
    Path fresh = home.resolve(FRESH);
    try (FileChannel file =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer text = ByteBuffer.wrap(Json.mapper().writeValueAsBytes(record));
      while (text.hasRemaining()) {
        int unused = file.write(text);
      }
      file.force(true);
    }
    Files.move(fresh, home.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    force(home);
  }

  /** Puts on the disk which files a directory has. */
  static void force(Path directory) throws IOException {
    try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
      opened.force(true);
    }
  }

  /** The record of a node's directory; empty when there is none that can be read as one. */
  static Optional<NodeRecord> read(Path home) throws IOException {
    try {
      byte[] text = Files.readAllBytes(home.resolve(NAME));
      return Optional.of(Json.mapper().readValue(text, NodeRecord.class));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (JacksonException e) {
      LOG.warn("What should be a node's record is none, so the node is ended home={}", home, e);
      return Optional.empty();
    }
  }
}
