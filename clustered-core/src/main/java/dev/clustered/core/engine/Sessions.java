// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The secrets between the engine and its agents. They come from the engine's key, so that an engine
 * that starts again knows its agents without having written anything down. Thread-safe.
 */
final class Sessions {

  /** Generations of one epoch; an agent takes what a later engine says for newer. */
  private static final int GENERATION_BITS = 32;

  private static final int NONCE_BYTES = 16;
  private static final int PARTS = 3;

  private final EngineKey key;
  private final long epoch;
  private final SecureRandom random = new SecureRandom();

  Sessions(EngineKey key, long epoch) {
    this.key = key;
    this.epoch = epoch;
  }

  /** What a node's agent joins with. */
  String joinToken(NodeId node) {
    return key.secret("join", node.value());
  }

  /** A new secret of the session of an agent at an address. */
  String session(NodeId node, String address) {
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    String nonce = HexFormat.of().formatHex(bytes);
    String from =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(address.getBytes(StandardCharsets.UTF_8));
    return nonce + "." + from + "." + proof(node, nonce, from);
  }

  private String proof(NodeId node, String nonce, String from) {
    return key.secret("session", node.value(), nonce, from);
  }

  /**
   * The address of the agent that an engine with this key gave a session to; empty if it did not.
   */
  Optional<String> address(NodeId node, String session) {
    String[] parts = session.split("\\.", -1);
    if (parts.length != PARTS || !key.is(parts[2], "session", node.value(), parts[0], parts[1])) {
      return Optional.empty();
    }
    return Optional.of(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8));
  }

  /** The first generation of what is desired of a node. */
  long generation() {
    return (epoch << GENERATION_BITS) + 1;
  }
}
