// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import dev.clustered.agent.protocol.ExecDocument;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * What the endpoint needs of the engine for commands beside ranks. Each answer is empty, or false,
 * when there is no such command on that node, or it is over. Thread-safe; called on one virtual
 * thread a request.
 */
public interface ExecGateway {

  /** An output of a command. */
  enum Stream {
    OUTPUT,
    ERROR
  }

  /**
   * A part of an input.
   *
   * @param last whether nothing follows
   */
  @SuppressWarnings("ArrayRecordComponent")
  record InputPart(byte[] bytes, boolean last) {}

  /** What it is. */
  Optional<ExecDocument> document(NodeId node, String exec);

  /**
   * Takes bytes of an output at an offset, as many as there is room for, waiting a while for some.
   *
   * @return the bytes taken from the start
   */
  Optional<Long> output(NodeId node, String exec, Stream stream, long offset, InputStream bytes)
      throws IOException, InterruptedException;

  /** Its input from an offset, as soon as there is some; no bytes when the time is over. */
  Optional<InputPart> input(NodeId node, String exec, long offset) throws InterruptedException;

  /** It reads no more of its input. */
  boolean inputUnwanted(NodeId node, String exec);

  /** It has ended, and every byte of it that will ever be told has been. */
  boolean ended(NodeId node, String exec, ExecEnd end);
}
