// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A loopback address that is one node's alone among all programs of this machine, as long as it is
 * held: a bound UDP socket is the mark, which the kernel takes back when its process dies.
 */
final class LoopbackAddress implements AutoCloseable {

  /** Nothing else of ours or of a node uses this UDP port. */
  private static final int MARK_PORT = 20_017;

  /** 127.64.0.0 to 127.127.255.255, far from 127.0.0.1 and from what resolvers listen on. */
  private static final int FIRST = 0x7f40_0000;

  private static final int COUNT = 1 << 22;

  private final InetAddress address;
  private final DatagramSocket mark;

  private LoopbackAddress(InetAddress address, DatagramSocket mark) {
    this.address = address;
    this.mark = mark;
  }

  /**
   * Takes a free address.
   *
   * @param start where the search begins, so that several programs seldom try the same
   */
  static LoopbackAddress take(int start) {
    IOException last = new IOException("no address tried");
    for (int i = 0; i < 4_096; i++) {
      int offset = Math.floorMod(start + i, COUNT);
      int last8 = offset & 0xff;
      if (last8 == 0 || last8 == 255) {
        continue;
      }
      try {
        return open(FIRST + offset);
      } catch (IOException e) {
        last = e;
        refuseWhereAliasesAreNeeded(e);
      }
    }
    throw new ClusterException(
        ErrorCode.LAUNCH_FAILED, "no free loopback address from 127.64.0.0 on: " + last, last);
  }

  private static LoopbackAddress open(int bits) throws IOException {
    byte[] bytes = {(byte) (bits >>> 24), (byte) (bits >>> 16), (byte) (bits >>> 8), (byte) bits};
    InetAddress address = InetAddress.getByAddress(bytes);
    return new LoopbackAddress(
        address, new DatagramSocket(new InetSocketAddress(address, MARK_PORT)));
  }

  /** macOS has only 127.0.0.1 until each other address is added by hand. */
  private static void refuseWhereAliasesAreNeeded(IOException failure) {
    if (System.getProperty("os.name", "").startsWith("Mac")) {
      throw new ClusterException(
          ErrorCode.LAUNCH_FAILED,
          "this system has no loopback address but 127.0.0.1; add those of the nodes first, for"
              + " example: sudo ifconfig lo0 alias 127.64.0.1 up",
          failure);
    }
  }

  /** The address as a literal. */
  String literal() {
    return address.getHostAddress();
  }

  @Override
  public void close() {
    mark.close();
  }
}
