// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

/** Addresses and ports as one text. Stateless and thread-safe. */
public final class Endpoint {

  private Endpoint() {}

  /**
   * The address and port as URLs and rendezvous end points take them: {@code 127.0.1.1:29400},
   * {@code [fd00::1]:29400}.
   *
   * @param address an IPv4 or IPv6 literal without brackets
   */
  public static String of(String address, int port) {
    return (address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + requirePort(port);
  }

  static int requirePort(int port) {
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("a port is 1 to 65535; received: " + port);
    }
    return port;
  }
}
