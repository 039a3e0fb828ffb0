// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import com.sun.net.httpserver.HttpExchange;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.agent.protocol.Paths;
import dev.clustered.core.control.ExecGateway.InputPart;
import dev.clustered.core.control.Refusals.Reason;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.util.Optional;

/** Turns requests about commands beside ranks into calls of the gateway. */
final class ExecHandler {

  /** Of {@code /v1/exec/ID} and {@code /v1/exec/ID/WHAT}, with the empty one before the first. */
  private static final int ID = 3;

  private static final int WHAT = 4;

  private final ExecGateway gateway;

  ExecHandler(ExecGateway gateway) {
    this.gateway = gateway;
  }

  void handle(HttpExchange exchange, NodeId node, String[] parts)
      throws IOException, RefusedException, InterruptedException {
    String exec = parts[ID];
    if (parts.length == WHAT) {
      ControlHandler.requireMethod(exchange, "GET");
      answer(exchange, gateway.document(node, exec));
      return;
    }
    if (parts.length != WHAT + 1) {
      throw new RefusedException(Reason.PATH);
    }
    ControlHandler.requireMethod(exchange, "POST");
    switch (parts[WHAT]) {
      case "output" -> output(exchange, node, exec, ExecGateway.Stream.OUTPUT);
      case "error" -> output(exchange, node, exec, ExecGateway.Stream.ERROR);
      case "input" -> input(exchange, node, exec);
      case "unwanted" -> taken(exchange, gateway.inputUnwanted(node, exec));
      case "end" -> end(exchange, node, exec);
      default -> throw new RefusedException(Reason.PATH);
    }
  }

  private void output(HttpExchange exchange, NodeId node, String exec, ExecGateway.Stream stream)
      throws IOException, RefusedException, InterruptedException {
    long offset = ControlHandler.offset(exchange);
    Optional<Long> stored = gateway.output(node, exec, stream, offset, exchange.getRequestBody());
    answer(exchange, stored.map(Paths.Stored::new));
  }

  private void input(HttpExchange exchange, NodeId node, String exec)
      throws IOException, RefusedException, InterruptedException {
    long offset = ControlHandler.offset(exchange);
    Optional<InputPart> taken = gateway.input(node, exec, offset);
    if (taken.isEmpty()) {
      unknown(exchange);
      return;
    }
    InputPart part = taken.get();
    if (part.last()) {
      exchange.getResponseHeaders().set(Paths.INPUT_END, "true");
    }
    if (part.bytes().length > 0) {
      exchange.sendResponseHeaders(200, part.bytes().length);
      exchange.getResponseBody().write(part.bytes());
    } else {
      exchange.sendResponseHeaders(part.last() ? 200 : 204, -1);
    }
  }

  private void end(HttpExchange exchange, NodeId node, String exec)
      throws IOException, RefusedException {
    ExecEnd end = ControlHandler.read(exchange, ExecEnd.class, ControlHandler.SMALL);
    taken(exchange, gateway.ended(node, exec, end));
  }

  private static void taken(HttpExchange exchange, boolean known) throws IOException {
    if (known) {
      exchange.sendResponseHeaders(204, -1);
    } else {
      unknown(exchange);
    }
  }

  private static void answer(HttpExchange exchange, Optional<?> document) throws IOException {
    if (document.isPresent()) {
      ControlHandler.answer(exchange, document.get());
    } else {
      unknown(exchange);
    }
  }

  // No refusal to be counted: an agent cannot know yet that a command is over.
  private static void unknown(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().skip(ControlHandler.MOST_LEFT_UNREAD);
    exchange.sendResponseHeaders(404, -1);
  }
}
