// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ports in a row that nothing else on the machine can take, until they are released for the rank.
 * They are bound on every address, because the programs that use them (torch among them) bind them
 * so; and not listened on, so that a rank which dials too early is refused and tries again. Not
 * thread-safe.
 */
final class PortReservation implements AutoCloseable {

  private final List<SocketChannel> channels;
  private final int port;

  private PortReservation(List<SocketChannel> channels, int port) {
    this.channels = channels;
    this.port = port;
  }

  /** Reserves what a work needs. */
  static PortReservation reserve(WorkKey key, WorkDocument document) throws WorkFailure {
    return reserve(key, document.firstPort(), document.lastPort(), document.ports());
  }

  /**
   * Reserves ports in a row of a range; which are tried first depends on the key, to meet few
   * others.
   */
  static PortReservation reserve(WorkKey key, int first, int last, int ports) throws WorkFailure {
    int count = last - first + 2 - ports;
    for (int tried = 0; tried < count; tried++) {
      int port = first + Math.floorMod(key.toString().hashCode() + tried, count);
      Optional<PortReservation> reservation = bind(port, ports);
      if (reservation.isPresent()) {
        return reservation.get();
      }
    }
    throw new WorkFailure(
        ErrorCode.PREPARE_FAILED,
        "none of the ports %d to %d is free on the node%s; give another range"
            .formatted(first, last, ports == 1 ? "" : " with the " + (ports - 1) + " after it"));
  }

  private static Optional<PortReservation> bind(int first, int ports) throws WorkFailure {
    PortReservation reservation = new PortReservation(new ArrayList<>(), first);
    try {
      for (int port = first; port < first + ports; port++) {
        SocketChannel channel = SocketChannel.open();
        reservation.channels.add(channel);
        channel.bind(new InetSocketAddress(port));
      }
      return Optional.of(reservation);
    } catch (BindException e) {
      reservation.close();
      return Optional.empty();
    } catch (IOException e) {
      reservation.close();
      throw new WorkFailure(ErrorCode.PREPARE_FAILED, "the node could not reserve a port: " + e, e);
    }
  }

  /** The first of them. */
  int port() {
    return port;
  }

  /** Gives the ports to whoever takes them next; a second call does nothing. */
  @Override
  public void close() {
    for (SocketChannel channel : channels) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
