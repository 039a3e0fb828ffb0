// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the streams of a command beside a rank between its process and the engine, byte for byte
 * by their place in the stream, so that a request may be lost or repeated. Each stream has a thread
 * and one buffer; a side that is slow holds the other one up. Thread-safe.
 */
final class ExecStreams {

  private static final Logger LOGGER = LoggerFactory.getLogger(ExecStreams.class);
  private static final int BUFFER = 64 * 1024;
  private static final long STACK_BYTES = 512 * 1024;

  /** How long the thread of the input may take to hear that the command is over. */
  private static final long INPUT_MILLIS = 2_000;

  private final String exec;
  private final ExecLine line;
  private final NodeRuntime.RunningExec process;
  private final List<Thread> threads = new ArrayList<>();
  private final List<CompletableFuture<Void>> outputs = new ArrayList<>();
  private volatile boolean stopped;

  private ExecStreams(String exec, ExecLine line, NodeRuntime.RunningExec process) {
    this.exec = exec;
    this.line = line;
    this.process = process;
  }

  static ExecStreams start(
      String exec, ExecLine line, NodeRuntime.RunningExec process, boolean input) {
    ExecStreams streams = new ExecStreams(exec, line, process);
    streams.output("output", process.output());
    streams.output("error", process.error());
    if (input) {
      streams.thread("input", streams::carryInput);
    }
    streams.threads.forEach(Thread::start);
    return streams;
  }

  /** Done when all that was written has been taken, or will never be. */
  CompletableFuture<Void> taken() {
    return CompletableFuture.allOf(outputs.toArray(CompletableFuture[]::new));
  }

  /** Takes nothing more from the process; for one of which nothing is left. */
  void stop() {
    stopped = true;
    threads.forEach(Thread::interrupt);
    taken().join();
  }

  /** Returns when no thread is left; for a command that is over. */
  void close() {
    for (Thread thread : threads) {
      boolean interrupted = Thread.interrupted();
      try {
        thread.join(INPUT_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      stopped = true;
      thread.interrupt();
      Uninterrupted.join(thread);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void output(String stream, InputStream from) {
    CompletableFuture<Void> taken = new CompletableFuture<>();
    outputs.add(taken);
    thread(
        stream,
        () -> {
          try {
            carryOutput(stream, from);
          } finally {
            taken.complete(null);
          }
        });
  }

  // Reading a process blocks in the kernel, which would keep a virtual thread's carrier busy.
  private void thread(String stream, Runnable carrying) {
    threads.add(
        Thread.ofPlatform()
            .name("clustered-exec-" + stream + "-" + exec)
            .daemon()
            .inheritInheritableThreadLocals(false)
            .stackSize(STACK_BYTES)
            .unstarted(carrying));
  }

  private void carryOutput(String stream, InputStream from) {
    byte[] buffer = new byte[BUFFER];
    long offset = 0;
    try (from) {
      for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
        handOver(stream, offset, ByteBuffer.wrap(buffer, 0, count));
        offset += count;
      }
    } catch (IOException e) {
      LOGGER.debug("An output is not carried any more exec={} stream={}", exec, stream, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // An abandoned request may still look at the buffer when it has other bytes: the engine has all
  // those of its place by then, and skips them.
  private void handOver(String stream, long offset, ByteBuffer bytes)
      throws IOException, InterruptedException {
    Backoff backoff = new Backoff();
    int start = bytes.position();
    while (bytes.hasRemaining()) {
      if (stopped) {
        throw new IOException("nobody takes the output any more");
      }
      try {
        long stored = line.append(stream, offset + bytes.position() - start, bytes);
        bytes.position(start + (int) (stored - offset));
        backoff.reset();
      } catch (RefusedException | UnknownException e) {
        throw e;
      } catch (IOException e) {
        LOGGER.debug("Output not taken exec={} stream={}", exec, stream, e);
        backoff.pause();
      }
    }
  }

  private void carryInput() {
    long offset = 0;
    try (OutputStream to = process.input()) {
      boolean last = false;
      while (!last && !stopped) {
        ExecLine.Input input = nextInput(offset);
        if (!written(to, input.bytes())) {
          line.inputUnwanted();
          return;
        }
        offset += input.bytes().length;
        last = input.last();
      }
    } catch (IOException e) {
      LOGGER.debug("An input is not carried any more exec={}", exec, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ExecLine.Input nextInput(long offset) throws IOException, InterruptedException {
    Backoff backoff = new Backoff();
    while (true) {
      try {
        return line.input(offset);
      } catch (RefusedException | UnknownException e) {
        throw e;
      } catch (IOException e) {
        LOGGER.debug("Input not fetched exec={}", exec, e);
        backoff.pause();
      }
    }
  }

  private boolean written(OutputStream to, byte[] bytes) {
    try {
      to.write(bytes);
      to.flush();
      return true;
    } catch (IOException e) {
      LOGGER.debug("A command reads no more of its input exec={}", exec, e);
      return false;
    }
  }
}
