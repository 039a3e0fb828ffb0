// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trust in one certificate, known by its SHA-256. Names and dates in it mean nothing: whoever holds
 * its key is the engine. Extended, since the JDK adds a check of the host name to every other kind.
 * Immutable and thread-safe.
 */
final class PinnedCertificate extends X509ExtendedTrustManager {

  private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");

  private final byte[] sha256;

  PinnedCertificate(String sha256) {
    if (!SHA_256.matcher(sha256).matches()) {
      throw new IllegalArgumentException(
          "the pin must be the SHA-256 of a certificate, 64 lower-case hex digits; received "
              + sha256.length()
              + " characters");
    }
    this.sha256 = HexFormat.of().parseHex(sha256);
  }

  SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(null, new TrustManager[] {this}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no TLS 1.3; use a complete JDK", e);
    }
  }

  private void check(X509Certificate[] chain) throws CertificateException {
    if (chain.length == 0 || !MessageDigest.isEqual(sha256, digest(chain[0]))) {
      throw new CertificateException(
          "the endpoint shows another certificate than the one this agent was started with;"
              + " it is not the engine, or the engine was replaced");
    }
  }

  private static byte[] digest(X509Certificate certificate) throws CertificateException {
    try {
      return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
    } catch (GeneralSecurityException e) {
      throw new CertificateException(e);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
