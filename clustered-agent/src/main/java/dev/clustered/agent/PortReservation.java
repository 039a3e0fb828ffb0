// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * A port that nothing else on the machine can take, until it is released for the rank. It is bound
 * on every address, because the programs that use it (torch among them) bind it so; and not
 * listened on, so that a rank which dials too early is refused and tries again. Not thread-safe.
 */
final class PortReservation implements AutoCloseable {

  private final SocketChannel channel;
  private final int port;

  private PortReservation(SocketChannel channel, int port) {
    this.channel = channel;
    this.port = port;
  }

  /**
   * Reserves a port of a range; which one is tried first depends on the key, to meet few others.
   */
  static PortReservation reserve(WorkKey key, int first, int last) throws WorkFailure {
    int count = last - first + 1;
    for (int tried = 0; tried < count; tried++) {
      int port = first + Math.floorMod(key.toString().hashCode() + tried, count);
      Optional<PortReservation> reservation = bind(port);
      if (reservation.isPresent()) {
        return reservation.get();
      }
    }
    throw new WorkFailure(
        ErrorCode.PREPARE_FAILED,
        "none of the ports %d to %d is free on the node; give another range"
            .formatted(first, last));
  }

  private static Optional<PortReservation> bind(int port) throws WorkFailure {
    try {
      SocketChannel channel = SocketChannel.open();
      try {
        channel.bind(new InetSocketAddress(port));
        return Optional.of(new PortReservation(channel, port));
      } catch (BindException e) {
        channel.close();
        return Optional.empty();
      }
    } catch (IOException e) {
      throw new WorkFailure(ErrorCode.PREPARE_FAILED, "the node could not reserve a port: " + e, e);
    }
  }

  int port() {
    return port;
  }

  /** Gives the port to whoever takes it next; a second call does nothing. */
  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
