// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.clustered.agent.protocol.DesiredExec;
import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.JoinReply;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.agent.protocol.Paths;
import dev.clustered.agent.protocol.WorkDocument;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** An engine that speaks the agent's protocol with one agent, as a script of a test tells it. */
final class TestEngine implements AutoCloseable {

  static final String TOKEN = "join-token";
  static final String SESSION = "session-secret";

  /** How it treats requests. */
  enum Mode {
    HEALTHY,
    /** Every second request is lost: in turns before it is taken, and with its answer. */
    LOSSY,
    /** It takes everything but logs. */
    WITHOUT_LOGS,
    DOWN,
    /** It does not know the node any more. */
    FORGETFUL
  }

  private final HttpsServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicInteger requests = new AtomicInteger();
  private final Duration lease;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final List<ObservedState> reports = new ArrayList<>();
  private volatile Mode mode = Mode.HEALTHY;
  private volatile WorkDocument document;
  private DesiredState desired = new DesiredState(0, List.of());
  private volatile boolean repeatOnce;
  final AtomicInteger joins = new AtomicInteger();
  final TestExec exec = new TestExec();

  TestEngine(TestCertificate certificate, Duration lease, WorkDocument document)
      throws IOException {
    this.lease = lease;
    this.document = document;
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.context()));
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  URI uri() {
    return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
  }

  void mode(Mode newer) {
    mode = newer;
    change(() -> {});
  }

  /** Wants a work, and commands beside it. */
  void desire(long generation, DesiredWork work, List<DesiredExec> commands) {
    change(() -> desired = new DesiredState(generation, List.of(work), commands));
  }

  void desire(long generation, DesiredWork... work) {
    change(() -> desired = new DesiredState(generation, List.of(work)));
  }

  /** Hands a state to the next poll whatever generation that knows. */
  void desireOutOfOrder(long generation, DesiredWork... work) {
    change(
        () -> {
          desired = new DesiredState(generation, List.of(work));
          repeatOnce = true;
        });
    Eventually.until(() -> "old state taken", () -> !repeatOnce);
  }

  /** Waits until a report shows this status, at the time or before. */
  <T extends Status> T await(Class<T> status) {
    Eventually.until(
        () -> status.getSimpleName() + " in " + statuses(), () -> seen(status) != null);
    T found = seen(status);
    if (found == null) {
      throw new AssertionError("gone again");
    }
    return found;
  }

  /** All statuses of its one work in the order in which the newest reports came. */
  List<Status> statuses() {
    lock.lock();
    try {
      return reports.stream()
          .flatMap(report -> report.work().stream())
          .map(work -> work.status())
          .distinct()
          .toList();
    } finally {
      lock.unlock();
    }
  }

  boolean newestReportIsEmpty(long generation) {
    lock.lock();
    try {
      return !reports.isEmpty()
          && reports.getLast().work().isEmpty()
          && reports.getLast().generation() == generation;
    } finally {
      lock.unlock();
    }
  }

  byte[] log() {
    lock.lock();
    try {
      return log.toByteArray();
    } finally {
      lock.unlock();
    }
  }

  /** Keeps so many bytes of the log, as an engine whose machine went down. */
  void loseLog(int kept) {
    lock.lock();
    try {
      byte[] bytes = log.toByteArray();
      log.reset();
      log.write(bytes, 0, kept);
    } finally {
      lock.unlock();
    }
  }

  String logText() {
    return new String(log(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    mode(Mode.DOWN);
    server.stop(0);
    executor.shutdownNow();
    executor.close();
  }

  private <T extends Status> @Nullable T seen(Class<T> status) {
    return statuses().stream()
        .filter(status::isInstance)
        .map(status::cast)
        .findFirst()
        .orElse(null);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      int number = requests.incrementAndGet();
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (mode == Mode.DOWN || (mode == Mode.LOSSY && number % 4 == 0)) {
        return;
      }
      Answer answer = answer(exchange, body);
      if (mode == Mode.DOWN || (mode == Mode.LOSSY && number % 4 == 2)) {
        return;
      }
      byte[] content = answer.content();
      exchange.sendResponseHeaders(answer.status(), content.length == 0 ? -1 : content.length);
      try (OutputStream output = exchange.getResponseBody()) {
        output.write(content);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("ArrayRecordComponent")
  record Answer(int status, byte[] content) {
    static Answer of(Object document) {
      return new Answer(200, Json.mapper().writeValueAsBytes(document));
    }

    static Answer empty(int status) {
      return new Answer(status, new byte[0]);
    }
  }

  private Answer answer(HttpExchange exchange, byte[] body) throws InterruptedException {
    String path = exchange.getRequestURI().getPath();
    if (path.equals(Paths.JOIN)) {
      joins.incrementAndGet();
      JoinRequest request = Json.mapper().readValue(body, JoinRequest.class);
      return request.token().equals(TOKEN)
          ? Answer.of(new JoinReply(SESSION, Duration.ofSeconds(2), lease))
          : Answer.empty(401);
    }
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (!("Bearer " + SESSION).equals(authorization) || mode == Mode.FORGETFUL) {
      return Answer.empty(401);
    }
    if (path.equals(Paths.POLL)) {
      return poll(Json.mapper().readValue(body, Paths.Poll.class).generation());
    }
    if (path.equals(Paths.OBSERVED)) {
      return observe(Json.mapper().readValue(body, ObservedState.class));
    }
    if (path.startsWith(Paths.EXEC)) {
      return exec.answer(exchange, body);
    }
    if (!path.startsWith(Paths.LOGS)) {
      return Answer.of(document);
    }
    return mode == Mode.WITHOUT_LOGS
        ? Answer.empty(503)
        : append(Long.parseLong(exchange.getRequestURI().getQuery().substring(7)), body);
  }

  private Answer poll(long generation) throws InterruptedException {
    long left = Duration.ofSeconds(2).toNanos();
    lock.lockInterruptibly();
    try {
      while (desired.generation() <= generation && !repeatOnce && mode != Mode.DOWN) {
        if (mode == Mode.FORGETFUL) {
          return Answer.empty(401);
        }
        if (left <= 0) {
          return Answer.empty(204);
        }
        left = changed.awaitNanos(left);
      }
      repeatOnce = false;
      return Answer.of(desired);
    } finally {
      lock.unlock();
    }
  }

  private Answer observe(ObservedState report) {
    change(
        () -> {
          if (reports.isEmpty() || report.sequence() > reports.getLast().sequence()) {
            reports.add(report);
          }
        });
    return Answer.empty(204);
  }

  private Answer append(long offset, byte[] bytes) {
    lock.lock();
    try {
      int known = (int) (log.size() - offset);
      if (known >= 0 && known < bytes.length) {
        log.write(bytes, known, bytes.length - known);
      }
      return Answer.of(new Paths.Stored(log.size()));
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
