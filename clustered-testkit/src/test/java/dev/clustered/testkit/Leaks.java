// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Test classes that leave something behind; run by {@link NothingLeftTest} alone. */
final class Leaks {

  /** How what was left is given back after all; emptied by whoever ran a case. */
  static final Deque<AutoCloseable> LEFT = new ArrayDeque<>();

  private Leaks() {}

  static void giveBack() throws Exception {
    while (!LEFT.isEmpty()) {
      LEFT.pop().close();
    }
  }

  private static NothingLeft impatient() {
    return new NothingLeft(Duration.ofMillis(100));
  }

  static final class OfProcess {
    @RegisterExtension final NothingLeft nothingLeft = impatient();

    @Test
    void leavesOne() throws IOException {
      Process process = new ProcessBuilder("sleep", "1234567").start();
      LEFT.push(() -> process.destroyForcibly().waitFor());
    }
  }

  /** Its parent is gone and its session is its own: only its environment tells whose it is. */
  static final class OfDaemon {
    @RegisterExtension final NothingLeft nothingLeft = impatient();

    @Test
    void leavesOne() throws Exception {
      ProcessBuilder builder =
          new ProcessBuilder("sh", "-c", "setsid sleep 2345678 >/dev/null 2>&1 & echo $!");
      builder.environment().put("CLUSTERED_CLUSTER_ID", "leak");
      Process process = builder.start();
      long daemon = Long.parseLong(process.inputReader().readLine());
      process.waitFor();
      LEFT.push(() -> ProcessHandle.of(daemon).ifPresent(ProcessHandle::destroyForcibly));
    }
  }

  static final class OfThread {
    @RegisterExtension final NothingLeft nothingLeft = impatient();

    @Test
    void leavesOne() {
      CountDownLatch end = new CountDownLatch(1);
      Thread.ofPlatform()
          .name("left-thread")
          .daemon()
          .start(
              () -> {
                try {
                  end.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      LEFT.push(end::countDown);
    }
  }

  static final class OfTcp {
    @RegisterExtension final NothingLeft nothingLeft = impatient();

    @Test
    void leavesOne() throws IOException {
      LEFT.push(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    }
  }

  static final class OfUdp {
    @RegisterExtension final NothingLeft nothingLeft = impatient();

    @Test
    void leavesOne() throws IOException {
      LEFT.push(new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }
  }

  static final class OfDirectory {
    @RegisterExtension final NothingLeft nothingLeft = impatient();

    @Test
    void leavesOne() throws IOException {
      Path directory = Files.createTempDirectory("clustered-left-");
      Path file = Files.createFile(directory.resolve("inside"));
      LEFT.push(
          () -> {
            Files.delete(file);
            Files.delete(directory);
          });
    }
  }

  /** All of that, given back late by a thread that ends too; and what the JDK keeps. */
  static final class OfNothing {
    @RegisterExtension final NothingLeft nothingLeft = new NothingLeft();

    @Test
    void leavesOne() throws IOException, InterruptedException {
      Thread.ofVirtual().start(() -> LockSupport.parkNanos(1_000_000)).join();
      Process process = new ProcessBuilder("sleep", "0.3").start();
      ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      Path directory = Files.createTempDirectory("clustered-late-");
      Thread.ofPlatform()
          .start(
              () -> {
                try (server) {
                  process.waitFor();
                  Files.delete(directory);
                } catch (IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
    }
  }
}
