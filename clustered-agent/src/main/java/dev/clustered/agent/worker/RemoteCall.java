// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** One command that runs on another node, and the pipes of whoever asked for it. Thread-safe. */
final class RemoteCall implements AutoCloseable {

  /** What ssh says where it is itself that failed. */
  static final int FAILED = 255;

  private final String base;
  private final OutputStream output;
  private final OutputStream errors;
  private final CompletableFuture<Integer> code = new CompletableFuture<>();

  private RemoteCall(String base, OutputStream output, OutputStream errors) {
    this.base = base;
    this.output = output;
    this.errors = errors;
  }

  /** Opens the pipes; waits for whoever reads them. */
  static RemoteCall open(String base) throws IOException {
    OutputStream output = new FileOutputStream(base + ".out");
    try {
      return new RemoteCall(base, output, new FileOutputStream(base + ".err"));
    } catch (IOException e) {
      output.close();
      throw e;
    }
  }

  /** What the follower tells. */
  void take(Frames.Frame frame) {
    switch (frame.kind()) {
      case OUTPUT -> write(output, frame.content());
      case ERROR -> write(errors, frame.content());
      case END -> {
        boolean unused = code.complete(frame.code());
      }
    }
  }

  /** The command does not run, or nobody knows how it ended. */
  void refuse(String why) {
    write(errors, (why + "\n").getBytes(StandardCharsets.UTF_8));
    boolean unused = code.complete(FAILED);
  }

  /** Waits for the end of the command. */
  void await() throws InterruptedException {
    try {
      int unused = code.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends what is read and says the exit code. */
  @Override
  public void close() throws IOException {
    output.close();
    errors.close();
    try (OutputStream end = new FileOutputStream(base + ".end")) {
      end.write((code.getNow(FAILED) + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void write(OutputStream pipe, byte[] content) {
    try {
      pipe.write(content);
    } catch (IOException e) {
      // Whoever asked has stopped to read; the command goes on.
    }
  }
}
