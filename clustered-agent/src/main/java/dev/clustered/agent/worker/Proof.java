// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Shows that both ends of a connection know the secret of the attempt, without sending it: each
 * answers what the other thought up. What is said then is neither hidden nor sealed. Thread-safe.
 */
final class Proof {

  private static final String KIND = "HmacSHA256";
  private static final int BYTES = 32;
  private static final int LONGEST_ADDRESS = 16;

  private final SecretKeySpec key;

  Proof(String secret) {
    key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), KIND);
  }

  /** The leader's part; gives the address of the follower at the other end. */
  InetAddress lead(DataInputStream input, DataOutputStream output) throws IOException {
    byte[] question = question();
    output.write(question);
    output.flush();
    byte[] address = Meeting.block(input, LONGEST_ADDRESS);
    check(input.readNBytes(BYTES), answer("follower", question, address));
    output.write(answer("leader", input.readNBytes(BYTES), address));
    output.flush();
    return InetAddress.getByAddress(address);
  }

  /** The follower's part. */
  void follow(InetAddress own, DataInputStream input, DataOutputStream output) throws IOException {
    byte[] asked = input.readNBytes(BYTES);
    byte[] address = own.getAddress();
    byte[] question = question();
    output.writeInt(address.length);
    output.write(address);
    output.write(answer("follower", asked, address));
    output.write(question);
    output.flush();
    check(input.readNBytes(BYTES), answer("leader", question, address));
  }

  private static byte[] question() {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    return random;
  }

  private byte[] answer(String role, byte[] question, byte[] address) {
    try {
      Mac mac = Mac.getInstance(KIND);
      mac.init(key);
      mac.update(role.getBytes(StandardCharsets.UTF_8));
      mac.update(question);
      return mac.doFinal(address);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java has " + KIND, e);
    }
  }

  private static void check(byte[] received, byte[] expected) throws RefusedException {
    if (!MessageDigest.isEqual(received, expected)) {
      throw new RefusedException();
    }
  }

  /** The other end does not know the secret. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException() {
      super("the other end does not know the secret of this attempt");
    }
  }
}
