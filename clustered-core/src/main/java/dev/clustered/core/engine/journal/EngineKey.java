// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The one secret of an engine. From it come all secrets that an engine which starts again must know
 * without having written them down: tokens and sessions of agents, secrets of attempts, and the key
 * under which secrets of specifications are kept. Immutable and thread-safe.
 */
public final class EngineKey {

  /** Bytes of the key, and of what is made of it. */
  public static final int BYTES = 32;

  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] key;

  /**
   * A key that was made before.
   *
   * @param key {@link #BYTES} bytes
   */
  public EngineKey(byte[] key) {
    if (key.length != BYTES) {
      throw new IllegalArgumentException(
          "an engine's key has %d bytes; received %d".formatted(BYTES, key.length));
    }
    this.key = key.clone();
  }

  /** A new one. */
  public static EngineKey random() {
    byte[] key = new byte[BYTES];
    RANDOM.nextBytes(key);
    return new EngineKey(key);
  }

  /** The key itself, for the file that keeps it. */
  public byte[] bytes() {
    return key.clone();
  }

  /**
   * A secret in lower-case hex that is the same each time and says nothing of another.
   *
   * @param purpose what it is for
   * @param parts of what, such as a node
   */
  public String secret(String purpose, String... parts) {
    return HexFormat.of().formatHex(derive(purpose, parts));
  }

  /** Whether a text is the secret of a purpose; takes as long when it is not. */
  public boolean is(String text, String purpose, String... parts) {
    return MessageDigest.isEqual(
        text.getBytes(StandardCharsets.UTF_8),
        secret(purpose, parts).getBytes(StandardCharsets.UTF_8));
  }

  private byte[] derive(String purpose, String... parts) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      add(mac, purpose);
      for (String part : parts) {
        add(mac, part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK has no HMAC with SHA-256", e);
    }
  }

  /** With its length, so that no two lists of parts are the same bytes. */
  private static void add(Mac mac, String part) {
    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
    mac.update(bytes);
  }

  /** What only this key can open, and only for the same purpose. AES-256 in GCM. */
  byte[] seal(byte[] plain, String purpose) {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    try {
      Cipher cipher = cipher(Cipher.ENCRYPT_MODE, nonce, purpose);
      byte[] sealed = cipher.doFinal(plain);
      return ByteBuffer.allocate(nonce.length + sealed.length).put(nonce).put(sealed).array();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK cannot encrypt with AES in GCM", e);
    }
  }

  /**
   * What was sealed.
   *
   * @throws IllegalArgumentException when it was sealed with another key or for another purpose, or
   *     was changed
   */
  byte[] open(byte[] sealed, String purpose) {
    if (sealed.length < NONCE_BYTES) {
      throw new IllegalArgumentException("what is sealed is too short: " + sealed.length);
    }
    try {
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(sealed, NONCE_BYTES), purpose);
      return cipher.doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
    } catch (AEADBadTagException e) {
      throw new IllegalArgumentException(
          "what is sealed for %s was sealed with another key, or changed".formatted(purpose), e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK cannot decrypt with AES in GCM", e);
    }
  }

  private Cipher cipher(int mode, byte[] nonce, String purpose) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    SecretKeySpec own = new SecretKeySpec(derive("seal"), "AES");
    cipher.init(mode, own, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(purpose.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
