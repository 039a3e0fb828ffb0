// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a rank that does what the {@link Leader} of its attempt has it do. It dials
 * until the leader is there, runs commands as children, and exits with 0 once the leader has gone:
 * how the attempt went is the leader's rank to say. It listens on nothing.
 */
public final class Follower {

  private static final int ANSWER_MILLIS = 10_000;
  private static final int LONGEST_COMMAND = 8 * 1024 * 1024;
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  /** All ranks of an attempt start at once, so that a leader which is not there then is lost. */
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(5);

  private Follower() {}

  /**
   * Follows.
   *
   * @param arguments the leader's address and port, the own address, the file with the secret, and
   *     a short name for a directory or {@code -}; what follows is of no interest
   */
  @SuppressWarnings("CatchAndPrintStackTrace")
  public static void main(String[] arguments) {
    int code = 0;
    try {
      follow(Meeting.of(arguments));
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
      code = 1;
    }
    System.exit(code);
  }

  /** Returns when the leader has gone; what it had started is asked to end. */
  private static void follow(Meeting meeting) throws IOException {
    Commands commands = new Commands();
    try (Socket socket = dial(meeting);
        DataInputStream input = new DataInputStream(socket.getInputStream());
        Frames frames = new Frames(new DataOutputStream(socket.getOutputStream()))) {
      while (true) {
        int call = input.readInt();
        String command = new String(Meeting.block(input, LONGEST_COMMAND), StandardCharsets.UTF_8);
        commands.start(call, command, frames);
      }
    } catch (EOFException | SocketException e) {
      // The leader has gone, whose rank tells why.
    } finally {
      commands.end();
    }
  }

  /** A connection to the leader, which may start later than this. */
  private static Socket dial(Meeting meeting) throws IOException {
    long begun = System.nanoTime();
    long pause = FIRST_PAUSE;
    while (true) {
      Socket socket = new Socket();
      try {
        socket.bind(new InetSocketAddress(meeting.own(), 0));
        socket.connect(new InetSocketAddress(meeting.address(), meeting.port()), ANSWER_MILLIS);
        socket.setSoTimeout(ANSWER_MILLIS);
        meeting
            .proof()
            .follow(
                meeting.own(),
                new DataInputStream(socket.getInputStream()),
                new DataOutputStream(socket.getOutputStream()));
        socket.setSoTimeout(0);
        socket.setKeepAlive(true);
        socket.setTcpNoDelay(true);
        return socket;
      } catch (Proof.RefusedException e) {
        socket.close();
        throw e;
      } catch (IOException e) {
        socket.close();
        if (System.nanoTime() - begun > PATIENCE) {
          throw e;
        }
        LockSupport.parkNanos(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    }
  }
}
