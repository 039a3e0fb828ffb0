// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.Json;
import dev.clustered.core.control.Certificate;
import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/**
 * Whom agents and backends know an engine as. An engine that is to go on where another one ended
 * has the same; it lies in a file that only its owner may read. Immutable and thread-safe.
 *
 * @param owner the label on everything it launches
 * @param key from which its secrets come
 * @param certificate what its agents accept
 * @param port where they dial; 0 before it is known
 */
public record EngineIdentity(String owner, EngineKey key, Certificate certificate, int port) {

  private static final String FILE = "identity.json";
  private static final int OWNER_BYTES = 4;

  /** What the file holds. */
  private record Written(String owner, String key, String certificate, int port) {}

  /** A new one, which no other engine has. */
  public static EngineIdentity create(Instant now) {
    SecureRandom random = new SecureRandom();
    byte[] owner = new byte[OWNER_BYTES];
    random.nextBytes(owner);
    return new EngineIdentity(
        HexFormat.of().formatHex(owner), EngineKey.random(), Certificate.create(now, random), 0);
  }

  /** The same at a port. */
  public EngineIdentity at(int known) {
    return new EngineIdentity(owner, key, certificate, known);
  }

  /**
   * The one that lies in a directory; empty when there is none.
   *
   * @throws ClusterException when it cannot be read
   */
  public static Optional<EngineIdentity> read(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      Written written = Json.mapper().readValue(Files.readAllBytes(file), Written.class);
      Base64.Decoder decoder = Base64.getDecoder();
      return Optional.of(
          new EngineIdentity(
              written.owner(),
              new EngineKey(decoder.decode(written.key())),
              Certificate.read(decoder.decode(written.certificate()), new SecureRandom()),
              written.port()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw unreadable(file, e.toString());
    } catch (JacksonException | IllegalArgumentException | NullPointerException e) {
      // Its text may quote the file, which holds secrets.
      throw unreadable(file, "it is no identity that an engine has written");
    }
  }

  private static ClusterException unreadable(Path file, String why) {
    return new ClusterException(
        ErrorCode.INVALID_SETTING,
        "the identity of the engine in %s cannot be used: %s; put the file back, or choose another directory for another engine"
            .formatted(file, why));
  }

  /**
   * Writes it where {@link #read} finds it, whole or not at all.
   *
   * @throws ClusterException when it cannot be written
   */
  public void write(Path directory) {
    Base64.Encoder encoder = Base64.getEncoder();
    Written written =
        new Written(
            owner,
            encoder.encodeToString(key.bytes()),
            encoder.encodeToString(certificate.bytes()),
            port);
    try {
      Path part =
          Files.createTempFile(
              directory,
              FILE,
              ".part",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.write(part, Json.mapper().writeValueAsBytes(written));
      force(part);
      Files.move(part, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
      force(directory);
    } catch (IOException e) {
      throw new ClusterException(
          ErrorCode.INVALID_SETTING,
          "the identity of the engine cannot be written to %s: %s".formatted(directory, e),
          e);
    }
  }

  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Without what is secret. */
  @Override
  public String toString() {
    return "EngineIdentity[owner=%s, port=%d]".formatted(owner, port);
  }
}
