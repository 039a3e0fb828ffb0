// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import com.sun.net.httpserver.HttpExchange;
import dev.clustered.agent.TestEngine.Answer;
import dev.clustered.agent.protocol.DesiredExec;
import dev.clustered.agent.protocol.DesiredExec.SentSignal;
import dev.clustered.agent.protocol.ExecDocument;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.Paths;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One command beside a rank as the engine of a test has it, with all of its input at once. */
final class TestExec {

  private static final String ID = "ex-1";
  private static final int PART = 10_000;

  private final Map<String, ByteArrayOutputStream> outputs = new TreeMap<>();
  private byte[] input = new byte[0];
  private ExecDocument document = new ExecDocument(List.of("true"), false);
  private @Nullable ExecEnd end;

  static DesiredExec desired(SentSignal... signals) {
    return new DesiredExec(ID, TestWork.CLUSTER, 1, 0, Optional.empty(), List.of(signals));
  }

  synchronized void command(byte[] given, String... command) {
    input = given.clone();
    document = new ExecDocument(List.of(command), given.length > 0);
  }

  synchronized byte[] output() {
    return of("output").toByteArray();
  }

  synchronized @Nullable ExecEnd end() {
    return end;
  }

  private ByteArrayOutputStream of(String stream) {
    return outputs.computeIfAbsent(stream, name -> new ByteArrayOutputStream());
  }

  synchronized Answer answer(HttpExchange exchange, byte[] body) {
    String path = exchange.getRequestURI().getPath();
    if (path.equals(Paths.exec(ID))) {
      return Answer.of(document);
    }
    String what = path.substring(Paths.exec(ID).length() + 1);
    return switch (what) {
      case "output", "error" -> append(what, offset(exchange), body);
      case "input" -> input(exchange, offset(exchange));
      case "end" -> {
        end = Json.mapper().readValue(body, ExecEnd.class);
        yield Answer.empty(204);
      }
      default -> Answer.empty(204);
    };
  }

  private static int offset(HttpExchange exchange) {
    return Integer.parseInt(exchange.getRequestURI().getQuery().substring("offset=".length()));
  }

  private Answer append(String stream, int offset, byte[] body) {
    ByteArrayOutputStream stored = of(stream);
    int known = stored.size() - offset;
    if (known >= 0 && known < body.length) {
      // Never all at once, as an engine whose reader is slow.
      stored.write(body, known, Math.min(body.length - known, PART));
    }
    return Answer.of(new Paths.Stored(stored.size()));
  }

  private Answer input(HttpExchange exchange, int offset) {
    int last = Math.min(input.length, offset + PART);
    if (last == input.length) {
      exchange.getResponseHeaders().set(Paths.INPUT_END, "true");
    }
    return new Answer(200, Arrays.copyOfRange(input, offset, last));
  }
}
