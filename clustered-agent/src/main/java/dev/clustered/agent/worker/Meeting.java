// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the leader of an attempt and its followers meet, and what they know one another by.
 *
 * @param address the leader's
 * @param port the leader's
 * @param own the address of this node
 * @param secret what the nodes of this attempt alone know
 */
record Meeting(InetAddress address, int port, InetAddress own, String secret) {

  /**
   * By the arguments of a program: the leader's address and port, the own address, a file with the
   * secret, and a short name that is made for a directory beside it.
   */
  static Meeting of(String[] arguments) throws IOException {
    if (arguments.length < 5) {
      throw new IllegalArgumentException(
          "takes the leader's address and port, its own address, the file with the secret, and a"
              + " short name for a directory or -");
    }
    ShortName.make(arguments[4], Path.of(arguments[3]));
    return new Meeting(
        InetAddress.getByName(arguments[0]),
        Integer.parseInt(arguments[1]),
        InetAddress.getByName(arguments[2]),
        Files.readString(Path.of(arguments[3]), StandardCharsets.UTF_8).strip());
  }

  /** The proof that somebody knows the secret; the secret itself never goes over the wire. */
  Proof proof() {
    return new Proof(secret);
  }

  /** As many bytes as were said to come. */
  static byte[] block(DataInputStream input, int most) throws IOException {
    int length = input.readInt();
    if (length < 0 || length > most) {
      throw new IOException("a block of " + length + " bytes where " + most + " are the most");
    }
    return input.readNBytes(length);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "Meeting[" + address.getHostAddress() + " port " + port + "]";
  }
}
