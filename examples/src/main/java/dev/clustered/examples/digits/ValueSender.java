// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Writes chunks of values to a channel that does not block. Not thread-safe. */
final class ValueSender {
  private static final int BUFFER_BYTES = 1 << 16;

  private final SocketChannel channel;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
  private double[] values = {};
  private int position;
  private int end;

  ValueSender(SocketChannel channel) {
    this.channel = channel;
  }

  void start(double[] source, Chunk chunk) {
    values = source;
    position = chunk.start();
    end = chunk.end();
  }

  boolean pending() {
    return position < end || bytes.hasRemaining();
  }

  /** Writes as much as the channel takes now. */
  void send() throws IOException {
    if (!bytes.hasRemaining()) {
      refill();
    }
    channel.write(bytes);
  }

  private void refill() {
    int count = Math.min(end - position, BUFFER_BYTES / Double.BYTES);
    bytes.clear().asDoubleBuffer().put(values, position, count);
    bytes.limit(count * Double.BYTES);
    position += count;
  }
}
