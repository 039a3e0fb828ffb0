// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.JoinReply;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.Paths;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/** What a joined agent may ask the engine. Each method is one request. Thread-safe. */
final class Session {

  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(20);
  private static final int NO_CONTENT = 204;

  private final AgentTransport transport;
  private final NodeId node;
  private final JoinReply reply;

  private Session(AgentTransport transport, NodeId node, JoinReply reply) {
    this.transport = transport;
    this.node = node;
    this.reply = reply;
  }

  /**
   * Joins once.
   *
   * @throws RefusedException when the engine does not take the token
   */
  static Session join(AgentTransport transport, JoinRequest request)
      throws IOException, InterruptedException {
    HttpRequest post =
        transport.request(Paths.JOIN).timeout(REQUEST_LIMIT).POST(json(request)).build();
    byte[] body = accepted(post, transport.send(post)).body();
    return new Session(transport, request.node(), read(body, JoinReply.class));
  }

  Duration lease() {
    return reply.lease();
  }

  Duration poll() {
    return reply.poll();
  }

  /** The desired state when it is newer than the generation given. */
  Optional<DesiredState> poll(long generation, Duration limit)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = post(Paths.POLL, json(new Paths.Poll(generation)), limit);
    return answer.statusCode() == NO_CONTENT
        ? Optional.empty()
        : Optional.of(read(answer.body(), DesiredState.class));
  }

  void report(ObservedState observed) throws IOException, InterruptedException {
    post(Paths.OBSERVED, json(observed), REQUEST_LIMIT);
  }

  WorkDocument document(ClusterId cluster, int attempt) throws IOException, InterruptedException {
    return get(Paths.work(cluster, attempt), WorkDocument.class);
  }

  /** The blobs wanted, as {@link Paths#blobs} has them; whoever reads closes. */
  InputStream blobs(ClusterId cluster, int attempt, Paths.Wanted wanted)
      throws IOException, InterruptedException {
    HttpRequest post =
        authorized(Paths.blobs(cluster, attempt), REQUEST_LIMIT).POST(json(wanted)).build();
    HttpResponse<InputStream> answer = transport.stream(post);
    try {
      return accepted(post, answer).body();
    } catch (IOException e) {
      answer.body().close();
      throw e;
    }
  }

  /** Appends to a log; gives the number of bytes that the engine has from its start. */
  long append(ClusterId cluster, int attempt, int rank, long offset, ByteBuffer bytes)
      throws IOException, InterruptedException {
    String path = Paths.logs(cluster, attempt, rank, offset);
    HttpResponse<byte[]> answer = post(path, new BufferPublisher(bytes), REQUEST_LIMIT);
    return read(answer.body(), Paths.Stored.class).stored();
  }

  /** The line of a command beside a rank. */
  ExecLine exec(String exec) {
    return new ExecLine(this, exec);
  }

  /** Gets a document. */
  <T> T get(String path, Class<T> type) throws IOException, InterruptedException {
    HttpRequest get = authorized(path, REQUEST_LIMIT).GET().build();
    return read(accepted(get, transport.send(get)).body(), type);
  }

  HttpResponse<byte[]> post(String path, BodyPublisher body, Duration limit)
      throws IOException, InterruptedException {
    HttpRequest post = authorized(path, limit).POST(body).build();
    return accepted(post, transport.send(post));
  }

  private HttpRequest.Builder authorized(String path, Duration limit) {
    return transport
        .request(path)
        .timeout(limit)
        .header("Authorization", "Bearer " + reply.session())
        .header(Paths.NODE, node.value());
  }

  private static <T> HttpResponse<T> accepted(HttpRequest request, HttpResponse<T> answer)
      throws IOException {
    String message =
        "the engine answered " + answer.statusCode() + " to " + request.uri().getPath();
    return switch (answer.statusCode()) {
      case 200, NO_CONTENT -> answer;
      case 401, 403, 410 -> throw new RefusedException(message);
      case 404 -> throw new UnknownException(message);
      default -> throw new IOException(message);
    };
  }

  static BodyPublisher json(Object document) {
    return BodyPublishers.ofByteArray(Json.mapper().writeValueAsBytes(document));
  }

  @SuppressWarnings("UnusedException")
  static <T> T read(byte[] body, Class<T> type) throws IOException {
    try {
      return Json.mapper().readValue(body, type);
    } catch (JacksonException e) {
      // Its text may quote the body, and that may hold secrets.
      throw new IOException("the engine's answer is no " + type.getSimpleName());
    }
  }
}
