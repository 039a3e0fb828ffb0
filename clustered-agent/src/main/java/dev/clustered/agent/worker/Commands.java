// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The commands that a leader has started on this node. Thread-safe. */
final class Commands {

  private static final int NOT_STARTED = 127;

  private final List<Process> running = new CopyOnWriteArrayList<>();

  /** Starts a command as a shell would, in the environment and directory of this rank. */
  void start(int call, String command, Frames frames) {
    Thread.ofPlatform()
        .daemon()
        .name("clustered-command-" + call)
        .start(
            () -> {
              try {
                run(call, command, frames);
              } catch (IOException e) {
                // Nobody is there to be told.
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /** Asks all of them to end. */
  void end() {
    running.forEach(Process::destroy);
  }

  private void run(int call, String command, Frames frames)
      throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder("/bin/sh", "-c", command).start();
    } catch (IOException e) {
      byte[] message = (e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
      frames.send(call, Frames.Kind.ERROR, message, message.length);
      frames.end(call, NOT_STARTED);
      return;
    }
    running.add(process);
    process.getOutputStream().close();
    Thread errors =
        Thread.ofPlatform()
            .daemon()
            .name("clustered-command-errors-" + call)
            .start(() -> pass(process.getErrorStream(), call, Frames.Kind.ERROR, frames));
    pass(process.getInputStream(), call, Frames.Kind.OUTPUT, frames);
    errors.join();
    int code = process.waitFor();
    running.remove(process);
    frames.end(call, code);
  }

  private static void pass(InputStream stream, int call, Frames.Kind kind, Frames frames) {
    byte[] buffer = new byte[Frames.LARGEST];
    try (stream) {
      for (int length = stream.read(buffer); length >= 0; length = stream.read(buffer)) {
        frames.send(call, kind, buffer, length);
      }
    } catch (IOException e) {
      // The command or the leader has gone; its end says the rest.
    }
  }
}
