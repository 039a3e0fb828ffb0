// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * The open connections of one rank to its neighbours, which it serves both at once: a ring in which
 * everybody sends first and receives later stands still as soon as a chunk exceeds what the sockets
 * buffer. Not thread-safe.
 */
final class RingLink implements AutoCloseable {
  private final RingPlace place;
  private final Duration limit;
  private final Selector selector;
  private final SelectionKey sendKey;
  private final SelectionKey receiveKey;
  private final ValueSender sender;
  private final ValueReceiver receiver;

  private RingLink(
      RingPlace place, Duration limit, Selector selector, SelectionKey send, SelectionKey receive) {
    this.place = place;
    this.limit = limit;
    this.selector = selector;
    this.sendKey = send;
    this.receiveKey = receive;
    this.sender = new ValueSender((SocketChannel) send.channel());
    this.receiver = new ValueReceiver((SocketChannel) receive.channel());
  }

  /** Takes over two connected channels. */
  static RingLink over(RingPlace place, Duration limit, SocketChannel next, SocketChannel previous)
      throws IOException {
    Selector selector = Selector.open();
    next.configureBlocking(false);
    previous.configureBlocking(false);
    return new RingLink(
        place, limit, selector, next.register(selector, 0), previous.register(selector, 0));
  }

  /** Sends one chunk to the next rank while another one arrives from the previous rank. */
  void exchange(double[] source, Chunk sent, double[] target, Chunk received) throws IOException {
    if (!selector.isOpen()) {
      throw new IOException("rank %d has left the ring".formatted(place.rank()));
    }
    sender.start(source, sent);
    receiver.start(target, received);
    while (sender.pending() || receiver.pending()) {
      sendKey.interestOps(sender.pending() ? SelectionKey.OP_WRITE : 0);
      receiveKey.interestOps(receiver.pending() ? SelectionKey.OP_READ : 0);
      awaitReady();
      if (sendKey.isWritable()) {
        send();
      }
      if (receiveKey.isReadable()) {
        receive();
      }
    }
  }

  private void awaitReady() throws IOException {
    selector.selectedKeys().clear();
    if (selector.select(Math.max(1, limit.toMillis())) > 0) {
      return;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException(
          "rank %d was interrupted in an exchange with its neighbours".formatted(place.rank()));
    }
    throw new SocketTimeoutException(
        "rank %d waited %s in vain: %s"
            .formatted(
                place.rank(),
                limit,
                receiver.pending()
                    ? place.describe(place.previous()) + " sent nothing"
                    : place.describe(place.next()) + " took nothing"));
  }

  private void send() throws IOException {
    try {
      sender.send();
    } catch (IOException failure) {
      throw lost(place.next(), failure);
    }
  }

  private void receive() throws IOException {
    try {
      receiver.receive();
    } catch (IOException failure) {
      throw lost(place.previous(), failure);
    }
  }

  private IOException lost(int neighbour, IOException cause) {
    return new IOException(
        "rank %d lost %s: %s; see the log of that rank"
            .formatted(place.rank(), place.describe(neighbour), cause.getMessage()),
        cause);
  }

  /** Closes both connections; a second call does nothing. */
  @Override
  public void close() throws IOException {
    // A channel that a selector knows stays open until the selector is closed.
    try {
      sendKey.channel().close();
    } finally {
      try {
        receiveKey.channel().close();
      } finally {
        selector.close();
      }
    }
  }
}
