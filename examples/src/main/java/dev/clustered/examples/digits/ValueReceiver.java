// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Reads chunks of values from a channel that does not block. Not thread-safe. */
final class ValueReceiver {
  private static final int BUFFER_BYTES = 1 << 16;

  private final SocketChannel channel;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private double[] values = {};
  private int position;
  private int end;

  ValueReceiver(SocketChannel channel) {
    this.channel = channel;
  }

  void start(double[] target, Chunk chunk) {
    values = target;
    position = chunk.start();
    end = chunk.end();
  }

  boolean pending() {
    return position < end;
  }

  /** Reads what has arrived, but nothing beyond this chunk: that belongs to the next one. */
  void receive() throws IOException {
    bytes.limit(Math.min(BUFFER_BYTES / Double.BYTES, end - position) * Double.BYTES);
    if (channel.read(bytes) < 0) {
      throw new EOFException("it closed the connection");
    }
    bytes.flip();
    int count = bytes.remaining() / Double.BYTES;
    bytes.asDoubleBuffer().get(values, position, count);
    bytes.position(count * Double.BYTES).compact();
    position += count;
  }
}
