// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A certificate made by keytool, for the engine of a test. */
record TestCertificate(SSLContext context, String sha256) {

  private static final char[] PASSWORD = "changeit".toCharArray();

  static TestCertificate create(Path directory) throws Exception {
    Path store = directory.resolve("engine.p12");
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Process process =
        new ProcessBuilder(
                keytool.toString(),
                "-genkeypair",
                "-alias",
                "engine",
                "-keyalg",
                "EC",
                "-dname",
                "CN=engine",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                store.toString())
            .inheritIO()
            .start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("keytool failed with " + process.exitValue());
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream input = Files.newInputStream(store)) {
      keys.load(input, PASSWORD);
    }
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(managers.getKeyManagers(), null, null);
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(keys.getCertificate("engine").getEncoded());
    return new TestCertificate(context, HexFormat.of().formatHex(digest));
  }
}
