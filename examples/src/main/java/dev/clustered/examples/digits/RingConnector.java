// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Opens the two connections of one rank of a ring. Not thread-safe. */
final class RingConnector {
  // The first bytes of a connection; they tell a rank of this ring from a stray caller.
  private static final int GREETING = 0x52494e47;
  private static final int GREETING_BYTES = 3 * Integer.BYTES;
  private static final int GREETING_MILLIS = 1_000;
  private static final Duration RETRY_PAUSE = Duration.ofMillis(10);

  private final RingPlace place;
  private final Duration limit;
  private final long deadline;

  private RingConnector(RingPlace place, Duration limit) {
    this.place = place;
    this.limit = limit;
    this.deadline = System.nanoTime() + limit.toNanos();
  }

  /** Waits until both neighbours are connected, for as long as the limit says. */
  static RingLink open(RingPlace place, Duration limit) throws IOException {
    RingConnector connector = new RingConnector(place, limit);
    try (ServerSocketChannel listener = connector.listen()) {
      SocketChannel next = connector.connect();
      try {
        return RingLink.over(place, limit, next, connector.accept(listener));
      } catch (IOException failure) {
        next.close();
        throw failure;
      }
    }
  }

  private ServerSocketChannel listen() throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      return listener.bind(place.listening(place.rank()));
    } catch (IOException failure) {
      listener.close();
      throw new IOException(
          "%s cannot listen there: %s"
              .formatted(place.describe(place.rank()), failure.getMessage()),
          failure);
    }
  }

  private SocketChannel connect() throws IOException {
    while (true) {
      SocketChannel channel = SocketChannel.open();
      try {
        return greet(channel);
      } catch (IOException failure) {
        channel.close();
        retryOrThrow(failure);
      }
    }
  }

  private SocketChannel greet(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.bind(new InetSocketAddress(place.address(place.rank()), 0));
    channel.socket().connect(place.listening(place.next()), millisLeft());
    channel.write(greeting(place.rank()));
    return channel;
  }

  private void retryOrThrow(IOException failure) throws IOException {
    if (System.nanoTime() - deadline >= 0) {
      throw new IOException(
          "rank %d cannot connect to %s within %s: %s"
              .formatted(place.rank(), place.describe(place.next()), limit, failure.getMessage()),
          failure);
    }
    LockSupport.parkNanos(RETRY_PAUSE.toNanos());
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException(
          "rank %d was interrupted while it connected to %s"
              .formatted(place.rank(), place.describe(place.next())));
    }
  }

  private SocketChannel accept(ServerSocketChannel listener) throws IOException {
    while (true) {
      listener.socket().setSoTimeout(millisLeft());
      Socket caller = acceptCaller(listener);
      if (isPrevious(caller)) {
        return caller.getChannel();
      }
      caller.close();
    }
  }

  private Socket acceptCaller(ServerSocketChannel listener) throws IOException {
    try {
      return listener.socket().accept();
    } catch (SocketTimeoutException failure) {
      throw new IOException(
          "rank %d was not called by %s within %s"
              .formatted(place.rank(), place.describe(place.previous()), limit),
          failure);
    }
  }

  private boolean isPrevious(Socket caller) {
    try {
      caller.setTcpNoDelay(true);
      caller.setSoTimeout(Math.min(GREETING_MILLIS, millisLeft()));
      byte[] said = caller.getInputStream().readNBytes(GREETING_BYTES);
      return caller.getInetAddress().equals(place.address(place.previous()))
          && ByteBuffer.wrap(said).equals(greeting(place.previous()));
    } catch (IOException unreadable) {
      return false;
    }
  }

  private ByteBuffer greeting(int rank) {
    return ByteBuffer.allocate(GREETING_BYTES)
        .putInt(GREETING)
        .putInt(rank)
        .putInt(place.size())
        .flip();
  }

  private int millisLeft() {
    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    return Math.clamp(left, 1, Integer.MAX_VALUE);
  }
}
