// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import com.sun.net.httpserver.HttpExchange;
import dev.clustered.agent.protocol.Paths;
import dev.clustered.agent.protocol.Paths.Piece;
import dev.clustered.core.control.BlobSource.Blob;
import dev.clustered.core.control.Refusals.Reason;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answer to a request for blobs. Its length is known before the first byte: the server's
 * chunks, which it would need otherwise, are small and cost a third of the rate.
 */
final class BlobAnswer {

  /** No text of a problem is longer, whatever the names in it. */
  private static final int LONGEST_TEXT = 8_000;

  private final List<Frame> frames = new ArrayList<>();

  /** A piece, or why it cannot be had. */
  private sealed interface Frame {
    record Content(Blob blob, long offset) implements Frame {}

    record Refusal(String text) implements Frame {}
  }

  private BlobAnswer() {}

  static BlobAnswer of(BlobSource source, Paths.Wanted wanted) throws RefusedException {
    if (wanted.pieces().size() > Paths.Wanted.MOST) {
      throw new RefusedException(Reason.OVERSIZED);
    }
    BlobAnswer answer = new BlobAnswer();
    for (Piece piece : wanted.pieces()) {
      answer.add(source, piece);
    }
    return answer;
  }

  private void add(BlobSource source, Piece piece) throws RefusedException {
    Optional<Blob> found = source.find(piece.sha256());
    Optional<String> problem =
        found.isEmpty()
            ? Optional.of("the engine has no content " + piece.sha256())
            : found.flatMap(Blob::problem);
    if (problem.isPresent()) {
      String text = problem.get();
      frames.add(new Frame.Refusal(text.substring(0, Math.min(LONGEST_TEXT, text.length()))));
      return;
    }
    Blob blob = found.orElseThrow();
    if (piece.offset() < 0 || piece.offset() > blob.size()) {
      throw new RefusedException(Reason.MALFORMED);
    }
    frames.add(new Frame.Content(blob, piece.offset()));
  }

  void send(HttpExchange exchange, Transfers transfers) throws IOException {
    transfers.request();
    exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
    long length = 0;
    for (Frame frame : frames) {
      length += head(frame).length + content(frame);
    }
    exchange.sendResponseHeaders(200, length == 0 ? -1 : length);
    OutputStream body = exchange.getResponseBody();
    for (Frame frame : frames) {
      body.write(head(frame));
      if (frame instanceof Frame.Content(Blob blob, long offset)) {
        blob.copy(offset, body);
        transfers.blob(blob.size());
      }
    }
  }

  private static long content(Frame frame) {
    return frame instanceof Frame.Content(Blob blob, long offset) ? blob.size() - offset : 0;
  }

  private static byte[] head(Frame frame) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream output = new DataOutputStream(bytes);
    switch (frame) {
      case Frame.Content content -> output.writeLong(content(content));
      case Frame.Refusal refusal -> {
        output.writeLong(-1);
        output.writeUTF(refusal.text());
      }
    }
    return bytes.toByteArray();
  }
}
