// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ExecDocument;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.agent.protocol.Paths;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * What a node may ask the engine about one command beside a rank. Each method is one request, and
 * throws an {@link UnknownException} once the command is over for the engine. Thread-safe.
 */
final class ExecLine {

  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(20);
  private static final Duration POLL_MARGIN = Duration.ofSeconds(5);

  private final Session session;
  private final String exec;

  ExecLine(Session session, String exec) {
    this.session = session;
    this.exec = exec;
  }

  /**
   * A part of the input.
   *
   * @param last whether nothing follows
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Input(byte[] bytes, boolean last) {}

  ExecDocument document() throws IOException, InterruptedException {
    return session.get(Paths.exec(exec), ExecDocument.class);
  }

  /** Hands output over; gives the number of bytes that the engine has from its start. */
  long append(String stream, long offset, ByteBuffer bytes)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        session.post(
            Paths.execOutput(exec, stream, offset),
            new BufferPublisher(bytes),
            session.poll().plus(REQUEST_LIMIT));
    return Session.read(answer.body(), Paths.Stored.class).stored();
  }

  /** The input from an offset on, as soon as there is some. */
  Input input(long offset) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        session.post(
            Paths.execInput(exec, offset),
            BodyPublishers.noBody(),
            session.poll().plus(POLL_MARGIN));
    boolean last = answer.headers().firstValue(Paths.INPUT_END).filter("true"::equals).isPresent();
    return new Input(answer.body(), last);
  }

  /** It reads no more. */
  void inputUnwanted() throws IOException, InterruptedException {
    HttpResponse<byte[]> unused =
        session.post(Paths.execInputUnwanted(exec), BodyPublishers.noBody(), REQUEST_LIMIT);
  }

  void end(ExecEnd end) throws IOException, InterruptedException {
    HttpResponse<byte[]> unused =
        session.post(Paths.execEnd(exec), Session.json(end), REQUEST_LIMIT);
  }
}
