// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.model.ClusterException;
import dev.clustered.model.Secret;
import dev.clustered.spi.StateStore;
import dev.clustered.testkit.RealPart;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server of a test on a loopback port, with a data directory of its own. It ends
 * with {@link #close()}, and by itself when this JVM is killed. Where this JVM runs as root, the
 * server, which refuses that, runs as another user.
 */
final class PostgresServer implements AutoCloseable {

  private static final String USER = "keeper";
  private static final String PASSWORD = "hunter2";
  private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
  private static final long LIMIT_SECONDS = 60;

  /** The server is told to end when the end of standard input says that the test is gone. */
  private static final String UNTIL_THE_TEST_IS_GONE =
      "\"$@\" >>\"$0\" 2>&1 <&- & server=$!; cat >/dev/null; kill -QUIT $server; wait $server";

  private final Path programs;
  private final Path directory;
  private final List<String> user;
  private final int port;
  private final AtomicInteger schemas = new AtomicInteger();
  private Process process;

  private PostgresServer(Path programs, Path directory, List<String> user, int port)
      throws Exception {
    this.programs = programs;
    this.directory = directory;
    this.user = user;
    this.port = port;
    run(
        programs.resolve("initdb").toString(),
        "--pgdata=" + data(),
        "--username=" + USER,
        "--pwfile=" + directory.resolve("password"),
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync");
    this.process = begin();
  }

  /** Skips the test with a reason where there is no PostgreSQL. */
  static PostgresServer start() throws Exception {
    Path programs = RealPart.executable("initdb", installed()).require().toRealPath().getParent();
    Path directory = Files.createTempDirectory("postgres-");
    Path password = Files.writeString(directory.resolve("password"), PASSWORD);
    List<String> user = List.of();
    if (System.getProperty("user.name").equals("root")) {
      String name = System.getProperty("postgres.user", "nobody");
      UserPrincipal owner =
          directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
      Files.setOwner(directory, owner);
      Files.setOwner(password, owner);
      user = List.of("setpriv", "--reuid=" + name, "--clear-groups", "--");
    }
    return new PostgresServer(programs, directory, user, freePort());
  }

  private static Path[] installed() throws IOException {
    if (!Files.isDirectory(INSTALLED)) {
      return new Path[0];
    }
    try (Stream<Path> versions = Files.list(INSTALLED)) {
      return versions
          .sorted(Comparator.reverseOrder())
          .map(version -> version.resolve("bin"))
          .toArray(Path[]::new);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Path data() {
    return directory.resolve("data");
  }

  /** What initdb says, opened by this JVM. */
  private Path log() {
    return directory.resolve("initdb.log");
  }

  /** What the server says, opened by its user. */
  private Path serverLog() {
    return directory.resolve("server.log");
  }

  private ProcessBuilder command(String... command) {
    List<String> all = new ArrayList<>(user);
    all.addAll(List.of(command));
    ProcessBuilder builder = new ProcessBuilder(all);
    builder.environment().keySet().removeIf(name -> !name.equals("PATH"));
    return builder.directory(directory.toFile()).redirectErrorStream(true);
  }

  private void run(String... command) throws Exception {
    Process ran = command(command).redirectOutput(log().toFile()).start();
    if (!ran.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || ran.exitValue() != 0) {
      ran.destroyForcibly();
      throw new IllegalStateException(List.of(command) + ": " + Files.readString(log()));
    }
  }

  private Process begin() throws Exception {
    Process started =
        command(
                "sh",
                "-c",
                UNTIL_THE_TEST_IS_GONE,
                serverLog().toString(),
                programs.resolve("postgres").toString(),
                "-D",
                data().toString(),
                "-p",
                Integer.toString(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "autovacuum=off",
                "-c",
                "fsync=off",
                "-c",
                "max_parallel_workers=0",
                "-c",
                "log_min_messages=warning")
            .start();
    try {
      awaitAnswer(started);
      return started;
    } catch (Exception | Error e) {
      started.getOutputStream().close();
      throw e;
    }
  }

  private void awaitAnswer(Process started) throws Exception {
    PGSimpleDataSource source = source("public");
    long end = System.nanoTime() + Duration.ofSeconds(LIMIT_SECONDS).toNanos();
    while (true) {
      try (Connection connection = source.getConnection()) {
        connection.setReadOnly(true);
        return;
      } catch (SQLException e) {
        if (System.nanoTime() > end || !started.isAlive()) {
          throw new IllegalStateException("no server: " + Files.readString(serverLog()), e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  /** Ends the server as a power cut would, and waits until it is gone. */
  void kill() throws IOException {
    process.getOutputStream().close();
    process.onExit().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
  }

  void startAgain() throws Exception {
    process = begin();
  }

  /** The name of a new schema without tables. */
  String newSchema() throws SQLException {
    String schema = "test_" + schemas.incrementAndGet();
    execute("public", "CREATE SCHEMA " + schema);
    return schema;
  }

  void execute(String schema, String command) throws SQLException {
    try (Connection connection = source(schema).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  /** How many sessions of others the server has. */
  int sessions() throws SQLException {
    try (Connection connection = source("public").getConnection();
        Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                    + " AND pid <> pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  String url(String schema) {
    return "jdbc:postgresql://127.0.0.1:%d/postgres?currentSchema=%s".formatted(port, schema);
  }

  int port() {
    return port;
  }

  PGSimpleDataSource source(String schema) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(url(schema));
    source.setUser(USER);
    source.setPassword(PASSWORD);
    return source;
  }

  /**
   * The store in a schema.
   *
   * @throws ClusterException when it cannot be opened
   */
  StateStore open(String schema) {
    return PostgresStore.open(url(schema), USER, Secret.of(PASSWORD));
  }

  @Override
  public void close() throws IOException {
    kill();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
