// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import dev.clustered.agent.protocol.ContractNames;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * The main class of what stands beside the command of rank 0: has commands run on the other nodes,
 * whose {@link Follower}s dial it. A command comes as a file {@code calls/NAME.ask}, first its
 * node's address on a line; what it writes and its exit code go into the named pipes {@code
 * NAME.out}, {@code NAME.err} and {@code NAME.end} beside it. Runs until there is a file {@code
 * calls/over}, and then until every follower has come.
 */
public final class Leader {

  private static final int ANSWER_MILLIS = 10_000;
  private static final int WAITING_CONNECTIONS = 1_024;
  private static final String ASKED = ".ask";
  private static final String OVER = "over";

  private final Meeting meeting;
  private final Path calls;
  private final Map<InetAddress, FollowerLink> links = new ConcurrentHashMap<>();
  private final CountDownLatch missing;
  private final Set<Path> taken = ConcurrentHashMap.newKeySet();

  private Leader(Meeting meeting, Path calls, int followers) {
    this.meeting = meeting;
    this.calls = calls;
    missing = new CountDownLatch(followers);
  }

  /**
   * Leads.
   *
   * @param arguments the leader's address and port, the own address, the file with the secret,
   *     beside which the calls are, and a short name for a directory or {@code -}
   */
  @SuppressWarnings("CatchAndPrintStackTrace")
  public static void main(String[] arguments) {
    int code = 1;
    try {
      Path files = Path.of(arguments[3]).resolveSibling("calls");
      int followers = Integer.parseInt(System.getenv(ContractNames.SIZE)) - 1;
      new Leader(Meeting.of(arguments), Files.createDirectories(files), followers).lead();
      code = 0;
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.exit(code);
  }

  private void lead() throws IOException, InterruptedException {
    try (ServerSocket server = new ServerSocket();
        WatchService watch = calls.getFileSystem().newWatchService()) {
      server.bind(new InetSocketAddress(meeting.address(), meeting.port()), WAITING_CONNECTIONS);
      Thread.ofPlatform().daemon().name("clustered-followers").start(() -> accept(server));
      WatchKey unused = calls.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      while (!Files.exists(calls.resolve(OVER))) {
        takeCalls();
        WatchKey key = watch.take();
        key.pollEvents();
        key.reset();
      }
      // One that never met its leader would wait for it.
      missing.await();
    }
  }

  private void accept(ServerSocket server) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread.ofPlatform().daemon().name("clustered-follower").start(() -> meet(socket));
      } catch (IOException e) {
        if (!server.isClosed()) {
          System.err.println("clustered: a connection was not taken: " + e);
        }
      }
    }
  }

  private void meet(Socket socket) {
    try (socket) {
      socket.setSoTimeout(ANSWER_MILLIS);
      DataInputStream input = new DataInputStream(socket.getInputStream());
      DataOutputStream output = new DataOutputStream(socket.getOutputStream());
      InetAddress follower = meeting.proof().lead(input, output);
      socket.setSoTimeout(0);
      socket.setKeepAlive(true);
      socket.setTcpNoDelay(true);
      link(follower).serve(input, output);
    } catch (IOException e) {
      // One that does not know the secret, or a port scan: no affair of this cluster.
    }
  }

  private FollowerLink link(InetAddress address) {
    return links.computeIfAbsent(address, follower -> new FollowerLink(follower, missing));
  }

  private void takeCalls() throws IOException {
    try (Stream<Path> all = Files.list(calls)) {
      all.filter(file -> file.toString().endsWith(ASKED)).filter(taken::add).forEach(this::take);
    }
  }

  private void take(Path asked) {
    String name = asked.toString();
    String base = name.substring(0, name.length() - ASKED.length());
    Thread.ofPlatform()
        .daemon()
        .name("clustered-call-" + asked.getFileName())
        .start(
            () -> {
              try {
                answer(asked, base);
              } catch (IOException e) {
                System.err.println("clustered: the call " + name + " failed: " + e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private void answer(Path asked, String base) throws IOException, InterruptedException {
    String text = Files.readString(asked);
    Files.delete(asked);
    int line = text.indexOf('\n');
    String host = text.substring(0, line);
    String command = text.substring(line + 1);
    try (RemoteCall call = RemoteCall.open(base)) {
      Optional<InetAddress> address = literal(host);
      if (address.isEmpty()) {
        call.refuse("clustered: \"" + host + "\" is not the address of a node of this cluster");
      } else {
        link(address.get()).run(command, call);
      }
    }
  }

  /** No name is looked up: the nodes of a cluster are known by their addresses. */
  private static Optional<InetAddress> literal(String host) throws IOException {
    return host.matches("[0-9.]+|[0-9A-Fa-f:.%]*:[0-9A-Za-z:.%]*")
        ? Optional.of(InetAddress.getByName(host))
        : Optional.empty();
  }
}
