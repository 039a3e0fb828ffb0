// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of one small shell process that outlives this JVM and then ends all registered scopes.
 * It starts with the first scope, and again whenever it dies. Thread-safe.
 */
final class Guardian implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Guardian.class);
  private static final Path SHELL = Path.of("/bin/sh");
  private static final String PATH = "PATH=/usr/local/bin:/usr/bin:/bin";
  private static final int READY_MILLIS = 10_000;

  /** A guardian that dies sooner than this is not started again until the next scope. */
  private static final long SHORT_LIFE = TimeUnit.SECONDS.toNanos(1);

  private final Spawn spawn;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, String> registrations = new LinkedHashMap<>();
  private @Nullable Connection connection;
  private boolean closed;

  /** A running guardian and our end of its standard input. */
  private record Connection(RankProcess process, Pipe orders, long since) {}

  Guardian(Spawn spawn, InstantSource clock) {
    this.spawn = spawn;
    this.clock = clock;
  }

  /**
   * Makes the guardian end a scope and remove its directory once this JVM is gone. When this
   * returns, it will.
   *
   * @throws IllegalStateException when no guardian can be started
   */
  void register(String scope, Optional<Path> cgroup, Path directory) {
    String group = cgroup.map(Path::toString).filter(path -> !path.contains(" ")).orElse("-");
    String line = "scope " + scope + " " + group + " " + directory + "\n";
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("The guardian is closed; scope " + scope + " is too late.");
      }
      registrations.put(scope, line);
      if (connection == null || !tell(line)) {
        connect();
      }
    } finally {
      lock.unlock();
    }
  }

  void unregister(String scope) {
    lock.lock();
    try {
      if (registrations.remove(scope) != null && !closed) {
        tell("unscope " + scope + "\n");
      }
    } finally {
      lock.unlock();
    }
  }

  /** The guardian's pid while it runs. */
  Optional<Integer> pid() {
    lock.lock();
    try {
      return Optional.ofNullable(connection).map(current -> current.process().pid());
    } finally {
      lock.unlock();
    }
  }

  /** Lets the guardian go without ending anything, and waits until it has gone. */
  @Override
  public void close() {
    Connection last;
    lock.lock();
    try {
      closed = true;
      tell("quit\n");
      last = connection;
      connection = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.process().exit().handle((exit, failure) -> true).join();
      last.orders().close();
    }
  }

  private boolean tell(String line) {
    return connection != null && connection.orders().write(line.getBytes(StandardCharsets.UTF_8));
  }

  private void connect() {
    Connection old = connection;
    if (old != null) {
      old.orders().close();
    }
    Connection fresh = start();
    connection = fresh;
    registrations.values().forEach(this::tell);
    // The process may end at once, on this very thread's lock; hence after everything else.
    CompletableFuture<ProcessExit> unused =
        fresh.process().exit().whenComplete((exit, failure) -> replace(fresh));
  }

  private Connection start() {
    Pipe orders = new Pipe();
    try (Pipe answers = new Pipe()) {
      List<byte[]> argv =
          CStrings.utf8(List.of("sh", "-c", "eval \"$CLUSTERED_GUARDIAN\"", "clustered-guardian"));
      List<byte[]> envp = CStrings.utf8(List.of(PATH, "CLUSTERED_GUARDIAN=" + script()));
      Spawn.Streams streams = new Spawn.Streams(orders.readEnd(), answers.writeEnd());
      Spawn.Outcome outcome = spawn.start(SHELL, argv, envp, Path.of("/"), streams);
      if (outcome.errno() != 0) {
        throw new IllegalStateException(
            "Starting the guardian with " + SHELL + " failed: " + LibC.strerror(outcome.errno()));
      }
      RankProcess process = RankProcess.watch(outcome.pid(), clock.instant(), () -> {});
      orders.closeReadEnd();
      answers.closeWriteEnd();
      if (!answers.awaitByte(READY_MILLIS)) {
        process.signal(LibC.SIGKILL);
        throw new IllegalStateException(
            "The guardian was not ready within "
                + READY_MILLIS
                + " ms. Is "
                + SHELL
                + " a POSIX"
                + " shell?");
      }
      LOGGER.debug("Guardian is ready pid={}", process.pid());
      return new Connection(process, orders, System.nanoTime());
    } catch (RuntimeException e) {
      orders.close();
      throw e;
    }
  }

  private void replace(Connection dead) {
    lock.lock();
    try {
      if (closed || connection == null || connection.process() != dead.process()) {
        return;
      }
      connection = null;
      dead.orders().close();
      boolean shortLived = System.nanoTime() - dead.since() < SHORT_LIFE;
      LOGGER.warn("The guardian died pid={} again={}", dead.process().pid(), !shortLived);
      if (!shortLived) {
        connect();
      }
    } catch (RuntimeException e) {
      LOGGER.warn("Without a guardian, processes outlive a crash of this JVM", e);
    } finally {
      lock.unlock();
    }
  }

  private static String script() {
    try (InputStream script = Guardian.class.getResourceAsStream("guardian.sh")) {
      if (script == null) {
        throw new IllegalStateException("guardian.sh is missing beside " + Guardian.class);
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
