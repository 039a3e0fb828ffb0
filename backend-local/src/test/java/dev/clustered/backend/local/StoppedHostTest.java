// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.program;
import static dev.clustered.backend.local.Gangs.shell;
import static dev.clustered.backend.local.Gangs.signal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A program with an engine that stands still for a while, as one on a laptop that was closed. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class StoppedHostTest {

  private static final long LONGER_THAN_THE_LEADERSHIP = 2_000;

  @TempDir private Path directory;

  @Test
  @Timeout(60)
  void anEngineWhoseJournalIsItsOwnGoesOnHoweverLongItStoodStill() throws Exception {
    Process host = program(Host.class, directory).start();
    try (BufferedReader lines = host.inputReader();
        BufferedWriter orders = host.outputWriter()) {
      assertThat(lines.readLine()).isEqualTo("open");
      signal("STOP", host.toHandle());
      boolean ended = host.waitFor(LONGER_THAN_THE_LEADERSHIP, TimeUnit.MILLISECONDS);
      assertThat(ended).isFalse();
      signal("CONT", host.toHandle());
      orders.write("go\n");
      orders.flush();
      assertThat(lines.readLine()).isEqualTo("SUCCEEDED");
      assertThat(host.waitFor()).isZero();
    } finally {
      host.destroyForcibly();
    }
  }

  /** Opens an engine, and launches a cluster when it is told to. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws Exception {
      try (ClusterEngine engine =
          Gangs.on(LocalBackend.builder().factory()).leadership(Duration.ofMillis(500)).open()) {
        System.out.println("open");
        if (System.in.read() < 0) {
          throw new IOException("nobody told this program to go on");
        }
        try (Cluster cluster = engine.launch(shell(1, "true").build()).await()) {
          System.out.println(cluster.join().outcome());
        }
      }
    }
  }
}
