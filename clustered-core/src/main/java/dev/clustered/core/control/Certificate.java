// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A self-signed certificate of an engine, made in a few milliseconds. Agents accept exactly this
 * certificate by its SHA-256, so its names and dates carry no meaning.
 *
 * <p>The structure is that of RFC 5280 section 4.1 in DER, with an ECDSA key on P-256 and a
 * signature with SHA-256 (RFC 5758 section 3.2).
 */
public final class Certificate {

  private static final byte[] ECDSA_WITH_SHA256 = {
    0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02
  };
  private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int UTF8_STRING = 0x0c;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int VERSION = 0xa0;

  private static final char[] NO_PASSWORD = {};
  private static final String ALIAS = "engine";

  private final KeyStore store;
  private final SSLContext context;
  private final String sha256;

  private Certificate(KeyStore store, SecureRandom random)
      throws GeneralSecurityException, IOException {
    this.store = store;
    this.context = context(store, random);
    byte[] encoded = store.getCertificate(ALIAS).getEncoded();
    this.sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(encoded));
  }

  /** A new one. */
  public static Certificate create(Instant now, SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      KeyPair keys = generator.generateKeyPair();
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      X509Certificate[] chain = {parse(encode(keys, now, random))};
      store.setKeyEntry(ALIAS, keys.getPrivate(), NO_PASSWORD, chain);
      return new Certificate(store, random);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the JDK cannot make an EC certificate", e);
    }
  }

  /**
   * One that was made before.
   *
   * @param bytes what {@link #bytes} gave
   * @throws IllegalArgumentException when they are no certificate with its key
   */
  public static Certificate read(byte[] bytes, SecureRandom random) {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new ByteArrayInputStream(bytes), NO_PASSWORD);
      if (!store.isKeyEntry(ALIAS)) {
        throw new IllegalArgumentException("there is no key of an engine");
      }
      return new Certificate(store, random);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException("it is no certificate with its key: " + e.getMessage(), e);
    }
  }

  /** The certificate with its private key, not encrypted: PKCS #12. */
  public byte[] bytes() {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      store.store(out, NO_PASSWORD);
      return out.toByteArray();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the JDK cannot write a certificate", e);
    }
  }

  /** What the server speaks TLS with. */
  SSLContext context() {
    return context;
  }

  /** SHA-256 of the encoded certificate in lower-case hex. */
  String sha256() {
    return sha256;
  }

  private static SSLContext context(KeyStore store, SecureRandom random)
      throws GeneralSecurityException {
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, NO_PASSWORD);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(managers.getKeyManagers(), null, random);
    return context;
  }

  private static X509Certificate parse(byte[] encoded) throws GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded));
  }

  private static byte[] encode(KeyPair keys, Instant now, SecureRandom random)
      throws GeneralSecurityException {
    byte[] algorithm = tagged(SEQUENCE, ECDSA_WITH_SHA256);
    byte[] name = name("clustered engine");
    BigInteger serial = new BigInteger(120, random).setBit(119);
    byte[] body =
        tagged(
            SEQUENCE,
            tagged(VERSION, tagged(INTEGER, new byte[] {2})),
            tagged(INTEGER, serial.toByteArray()),
            algorithm,
            name,
            tagged(
                SEQUENCE,
                time(now.minusSeconds(86_400)),
                time(now.atOffset(ZoneOffset.UTC).plusYears(20).toInstant())),
            name,
            keys.getPublic().getEncoded());
    Signature signer = Signature.getInstance("SHA256withECDSA");
    signer.initSign(keys.getPrivate(), random);
    signer.update(body);
    return tagged(SEQUENCE, body, algorithm, tagged(BIT_STRING, new byte[1], signer.sign()));
  }

  private static byte[] name(String commonName) {
    byte[] text = tagged(UTF8_STRING, commonName.getBytes(StandardCharsets.UTF_8));
    return tagged(SEQUENCE, tagged(SET, tagged(SEQUENCE, COMMON_NAME, text)));
  }

  private static byte[] time(Instant at) {
    String text =
        DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC).format(at);
    return tagged(GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] tagged(int tag, byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int length = List.of(parts).stream().mapToInt(part -> part.length).sum();
    out.write(tag);
    writeLength(out, length);
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static void writeLength(ByteArrayOutputStream out, int length) {
    if (length < 0x80) {
      out.write(length);
      return;
    }
    byte[] digits = BigInteger.valueOf(length).toByteArray();
    int skip = digits[0] == 0 ? 1 : 0;
    out.write(0x80 | (digits.length - skip));
    out.write(digits, skip, digits.length - skip);
  }
}
