// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/** What a follower tells of its commands, one frame after another. Thread-safe. */
final class Frames implements AutoCloseable {

  static final int LARGEST = 64 * 1024;

  /** What a frame is of. */
  enum Kind {
    OUTPUT('o'),
    ERROR('e'),
    END('x');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    static Kind of(int letter) throws IOException {
      for (Kind kind : values()) {
        if (kind.letter == letter) {
          return kind;
        }
      }
      throw new IOException("no kind of frame is " + letter);
    }
  }

  /** One of them. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Frame(int call, Kind kind, byte[] content) {

    static Frame read(DataInputStream input) throws IOException {
      int call = input.readInt();
      Kind kind = Kind.of(input.readUnsignedByte());
      return new Frame(call, kind, Meeting.block(input, LARGEST));
    }

    /** The exit code at the end of a command. */
    int code() {
      return ByteBuffer.wrap(content).getInt();
    }
  }

  private final DataOutputStream output;
  private final ReentrantLock lock = new ReentrantLock();

  Frames(DataOutputStream output) {
    this.output = output;
  }

  void send(int call, Kind kind, byte[] content, int length) throws IOException {
    lock.lock();
    try {
      output.writeInt(call);
      output.writeByte(kind.letter);
      output.writeInt(length);
      output.write(content, 0, length);
      output.flush();
    } finally {
      lock.unlock();
    }
  }

  void end(int call, int code) throws IOException {
    byte[] content = ByteBuffer.allocate(Integer.BYTES).putInt(code).array();
    send(call, Kind.END, content, content.length);
  }

  @Override
  public void close() throws IOException {
    output.close();
  }
}
