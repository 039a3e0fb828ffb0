// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.clustered.agent.protocol.JoinReply;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.Paths;
import dev.clustered.core.control.Refusals.Reason;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** Turns requests into calls of the gateway; refuses and counts whatever is none. */
final class ControlHandler implements HttpHandler {

  private static final Logger log = LoggerFactory.getLogger(ControlHandler.class);

  /** A join or poll is a few hundred bytes. */
  static final int SMALL = 1 << 16;

  /** A request names up to 2,000 blobs by their digests. */
  private static final int MEDIUM = 1 << 20;

  /** A report carries results of up to 8 MiB of a few works. */
  private static final int LARGE = 64 << 20;

  /** How much of a refused body is read away. */
  static final long MOST_LEFT_UNREAD = 1 << 20;

  private static final String BEARER = "Bearer ";

  private final AgentGateway gateway;
  private final ExecHandler execs;
  private final Refusals refusals;
  private final Transfers transfers;

  ControlHandler(AgentGateway gateway, Refusals refusals, Transfers transfers) {
    this.gateway = gateway;
    this.execs = new ExecHandler(gateway.execs());
    this.refusals = refusals;
    this.transfers = transfers;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try {
      route(exchange);
    } catch (RefusedException e) {
      refusals.add(e.reason());
      log.debug("Request refused reason={} from={}", e.reason(), exchange.getRemoteAddress());
      refuse(exchange, e.reason());
    } catch (InterruptedException e) {
      exchange.close();
      Thread.currentThread().interrupt();
      return;
    } catch (IOException | RuntimeException e) {
      exchange.close();
      throw e;
    }
    // Closing the exchange instead would end the connection, which the agent wants to use again.
    exchange.getRequestBody().close();
    exchange.getResponseBody().close();
  }

  private void route(HttpExchange exchange)
      throws IOException, RefusedException, InterruptedException {
    String path = exchange.getRequestURI().getPath();
    if (path.equals(Paths.JOIN)) {
      join(exchange);
      return;
    }
    NodeId node = authenticated(exchange);
    switch (path) {
      case Paths.POLL -> poll(exchange, node);
      case Paths.OBSERVED -> observed(exchange, node);
      default -> resource(exchange, node, path);
    }
  }

  private void join(HttpExchange exchange) throws IOException, RefusedException {
    requireMethod(exchange, "POST");
    JoinRequest request = read(exchange, JoinRequest.class, SMALL);
    JoinReply reply =
        gateway.join(request).orElseThrow(() -> new RefusedException(Reason.JOIN_TOKEN));
    answer(exchange, reply);
  }

  private void poll(HttpExchange exchange, NodeId node)
      throws IOException, RefusedException, InterruptedException {
    requireMethod(exchange, "POST");
    Paths.Poll poll = read(exchange, Paths.Poll.class, SMALL);
    var desired = gateway.poll(node, poll.generation());
    if (desired.isPresent()) {
      answer(exchange, desired.get());
    } else {
      exchange.sendResponseHeaders(204, -1);
    }
  }

  private void observed(HttpExchange exchange, NodeId node) throws IOException, RefusedException {
    requireMethod(exchange, "POST");
    gateway.observed(node, read(exchange, ObservedState.class, LARGE));
    exchange.sendResponseHeaders(204, -1);
  }

  private void resource(HttpExchange exchange, NodeId node, String path)
      throws IOException, RefusedException, InterruptedException {
    String[] parts = path.split("/", -1);
    if (path.startsWith(Paths.EXEC + "/")) {
      execs.handle(exchange, node, parts);
      return;
    }
    boolean work = parts.length == 5 && path.startsWith(Paths.WORK + "/");
    boolean logs = parts.length == 6 && path.startsWith(Paths.LOGS + "/");
    boolean blobs = parts.length == 5 && path.startsWith(Paths.BLOBS + "/");
    if (!work && !logs && !blobs) {
      throw new RefusedException(Reason.PATH);
    }
    ClusterId cluster = cluster(parts[3]);
    int attempt = number(parts[4]);
    if (work) {
      requireMethod(exchange, "GET");
      answer(exchange, found(gateway.work(node, cluster, attempt)));
      return;
    }
    requireMethod(exchange, "POST");
    if (blobs) {
      BlobSource source = found(gateway.blobs(node, cluster, attempt));
      Paths.Wanted wanted = read(exchange, Paths.Wanted.class, MEDIUM);
      BlobAnswer.of(source, wanted).send(exchange, transfers);
      return;
    }
    long offset = offset(exchange);
    InputStream body = exchange.getRequestBody();
    Optional<Long> stored = gateway.logs(node, cluster, attempt, number(parts[5]), offset, body);
    answer(exchange, new Paths.Stored(found(stored)));
  }

  private NodeId authenticated(HttpExchange exchange) throws RefusedException {
    String name = exchange.getRequestHeaders().getFirst(Paths.NODE);
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (name == null || authorization == null || !authorization.startsWith(BEARER)) {
      throw new RefusedException(Reason.SESSION);
    }
    try {
      NodeId node = new NodeId(name);
      if (gateway.admits(node, authorization.substring(BEARER.length()))) {
        return node;
      }
    } catch (IllegalArgumentException e) {
      log.debug("Request with an impossible node name", e);
    }
    throw new RefusedException(Reason.SESSION);
  }

  private static <T> T found(Optional<T> value) throws RefusedException {
    return value.orElseThrow(() -> new RefusedException(Reason.PATH));
  }

  static void requireMethod(HttpExchange exchange, String method) throws RefusedException {
    if (!exchange.getRequestMethod().equals(method)) {
      throw new RefusedException(Reason.METHOD);
    }
  }

  private static ClusterId cluster(String text) throws RefusedException {
    try {
      return new ClusterId(text);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Reason.PATH);
    }
  }

  private static int number(String text) throws RefusedException {
    try {
      return Integer.parseUnsignedInt(text);
    } catch (NumberFormatException e) {
      throw new RefusedException(Reason.PATH);
    }
  }

  static long offset(HttpExchange exchange) throws RefusedException {
    String query = exchange.getRequestURI().getQuery();
    try {
      if (query != null && query.startsWith("offset=")) {
        return Long.parseUnsignedLong(query.substring("offset=".length()));
      }
    } catch (NumberFormatException e) {
      log.debug("Request with an impossible offset", e);
    }
    throw new RefusedException(Reason.MALFORMED);
  }

  static <T> T read(HttpExchange exchange, Class<T> type, int limit)
      throws IOException, RefusedException {
    byte[] body = exchange.getRequestBody().readNBytes(limit + 1);
    if (body.length > limit) {
      throw new RefusedException(Reason.OVERSIZED);
    }
    try {
      T value = Json.mapper().readValue(body, type);
      if (value != null) {
        return value;
      }
    } catch (JacksonException | IllegalArgumentException e) {
      log.debug("Request with a malformed body type={}", type.getSimpleName());
    }
    throw new RefusedException(Reason.MALFORMED);
  }

  static void answer(HttpExchange exchange, Object value) throws IOException {
    byte[] body = Json.mapper().writeValueAsBytes(value);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
  }

  private static void refuse(HttpExchange exchange, Reason reason) throws IOException {
    // A body left unread would end the connection, and the answer might be lost with it.
    exchange.getRequestBody().skip(MOST_LEFT_UNREAD);
    exchange.sendResponseHeaders(reason.status, -1);
  }
}
