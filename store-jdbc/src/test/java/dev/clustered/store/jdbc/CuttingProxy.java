// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between a store and its server, and cuts connections off at a COMMIT when told so. */
final class CuttingProxy implements AutoCloseable {

  /** What becomes of a COMMIT. */
  enum Cut {
    /** The server does not get it. */
    BEFORE_THE_SERVER,
    /** The server does it, and its answer is lost. */
    BEFORE_THE_ANSWER
  }

  private static final byte[] COMMIT = "COMMIT".getBytes(StandardCharsets.US_ASCII);

  private final int server;
  private final ServerSocket listener;
  private final List<Socket> open = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger before = new AtomicInteger();
  private final AtomicInteger after = new AtomicInteger();

  CuttingProxy(int server) throws IOException {
    this.server = server;
    this.listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Cuts off the next COMMIT that is not cut off yet. */
  void cut(Cut cut) {
    counter(cut).incrementAndGet();
  }

  /** How many are still to come. */
  int left(Cut cut) {
    return counter(cut).get();
  }

  private AtomicInteger counter(Cut cut) {
    return switch (cut) {
      case BEFORE_THE_SERVER -> before;
      case BEFORE_THE_ANSWER -> after;
    };
  }

  private boolean due(Cut cut) {
    return counter(cut).getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = remember(listener.accept());
        Socket behind = remember(new Socket(InetAddress.getLoopbackAddress(), server));
        Lane lane = new Lane(client, behind);
        threads.execute(lane::forward);
        threads.execute(lane::back);
      }
    } catch (IOException e) {
      // The listener was closed.
      return;
    }
  }

  private synchronized Socket remember(Socket socket) {
    open.add(socket);
    return socket;
  }

  /** One connection. */
  private final class Lane {

    private final Socket client;
    private final Socket behind;
    private volatile boolean mute;

    Lane(Socket client, Socket behind) {
      this.client = client;
      this.behind = behind;
    }

    void forward() {
      pump(client, behind, true);
    }

    void back() {
      pump(behind, client, false);
    }

    private void pump(Socket from, Socket to, boolean commands) {
      byte[] buffer = new byte[1 << 16];
      try (from;
          to) {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (commands && contains(buffer, read)) {
            if (due(Cut.BEFORE_THE_SERVER)) {
              return;
            }
            mute |= due(Cut.BEFORE_THE_ANSWER);
          } else if (mute && !commands) {
            // The server has answered, so it is done.
            return;
          }
          out.write(buffer, 0, read);
        }
      } catch (IOException e) {
        // The other direction has closed both ends.
        return;
      }
    }

    private boolean contains(byte[] buffer, int length) {
      for (int at = 0; at + COMMIT.length <= length; at++) {
        int same = 0;
        while (same < COMMIT.length && buffer[at + same] == COMMIT[same]) {
          same++;
        }
        if (same == COMMIT.length) {
          return true;
        }
      }
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    synchronized (this) {
      for (Socket socket : open) {
        socket.close();
      }
    }
    threads.close();
  }
}
