// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives out addresses of 127.64.0.0/10, each to one holder on this machine. Thread-safe.
 *
 * <p>An address is held by a bound UDP socket: the kernel refuses a second one to any process, and
 * takes it back when its process dies, however it dies. Nothing is ever sent to that port.
 */
final class LoopbackAddresses {

  /** Outside the range from which Linux takes ports for outgoing traffic. */
  static final int RESERVED_PORT = 10_653;

  private static final int FIRST = 127 << 24 | 64 << 16;
  private static final int RANGE = 1 << 22;
  private static final int MOST_TRIES = 1 << 16;

  private final int first;
  private final AtomicInteger next = new AtomicInteger();

  /** Processes begin at different places, so that they seldom try what another one holds. */
  LoopbackAddresses() {
    this(FIRST, Long.hashCode(ProcessHandle.current().pid() * 0x9E3779B97F4A7C15L));
  }

  LoopbackAddresses(int first, int start) {
    this.first = first;
    next.set(exists(address(start)) ? start : 0);
  }

  /** An address that is held until it is closed. */
  record Held(String literal, DatagramSocket socket) implements AutoCloseable {

    @Override
    public void close() {
      socket.close();
    }
  }

  /**
   * The next address that nobody holds.
   *
   * @throws ClusterException when there is none
   */
  Held hold() {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      InetAddress address = address(next.getAndIncrement());
      Optional<Held> held = bind(address, RESERVED_PORT);
      if (held.isPresent()) {
        return held.get();
      }
      requireExists(address);
    }
    throw new ClusterException(
        ErrorCode.LAUNCH_FAILED,
        "%d loopback addresses in a row have UDP port %d taken; end the program that holds it on every address"
            .formatted(MOST_TRIES, RESERVED_PORT));
  }

  /** One certain address, unless another program has it. */
  Optional<Held> hold(String literal) {
    if (!literal.matches("[0-9]{1,3}([.][0-9]{1,3}){3}")) {
      return Optional.empty();
    }
    try {
      return bind(InetAddress.getByName(literal), RESERVED_PORT);
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  private void requireExists(InetAddress address) {
    if (exists(address)) {
      return;
    }
    next.set(0);
    throw new ClusterException(
        ErrorCode.INVALID_SETTING,
        "this machine has no address %1$s for a node; on macOS add it with: sudo ifconfig lo0 alias %1$s up"
            .formatted(address.getHostAddress()));
  }

  private static boolean exists(InetAddress address) {
    Optional<Held> held = bind(address, 0);
    held.ifPresent(Held::close);
    return held.isPresent();
  }

  private static Optional<Held> bind(InetAddress address, int port) {
    try {
      DatagramSocket socket = new DatagramSocket(new InetSocketAddress(address, port));
      return Optional.of(new Held(address.getHostAddress(), socket));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The address of a number; never one that ends in 0 or 255, which some programs refuse. */
  private InetAddress address(int number) {
    int offset = Math.floorMod(number, RANGE / 256 * 254);
    int bits = first + offset / 254 * 256 + offset % 254 + 1;
    byte[] bytes = {(byte) (bits >>> 24), (byte) (bits >>> 16), (byte) (bits >>> 8), (byte) bits};
    try {
      return InetAddress.getByAddress(bytes);
    } catch (IOException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }
}
