// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.lasting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.ExecRequest;
import dev.clustered.RemoteProcess;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.TerminalSize;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Shells in a terminal beside a rank. */
@Tag("integration")
@Timeout(60)
@ExtendWith(NothingLeft.class)
class ExecTerminalTest {

  private static final String INTERRUPT = "\u0003";

  private Cluster cluster;
  private RemoteProcess shell;
  private final StringBuilder seen = new StringBuilder();

  @BeforeEach
  void open() throws Exception {
    cluster = Clusters.launch(lasting(1)).await();
    shell = cluster.exec(0, ExecRequest.of("sh").withTerminal(132, 43));
  }

  @AfterEach
  void close() {
    shell.close();
    cluster.close();
  }

  private void type(String text) throws IOException {
    shell.standardInput().write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads until the terminal has shown a text. */
  private void shows(String text) throws IOException {
    while (seen.indexOf(text) < 0) {
      int next = shell.standardOutput().read();
      assertThat(next).as("%s", seen).isNotNegative();
      seen.append((char) next);
    }
    seen.delete(0, seen.indexOf(text) + text.length());
  }

  private ProcessEnd end() throws Exception {
    shell.standardOutput().readAllBytes();
    return shell.end().get(30, TimeUnit.SECONDS);
  }

  @Test
  void isATerminalOfTheSizeGivenThatControlsItsSession() throws Exception {
    type("tty; echo \"size $(stty size) $TERM\"; echo here > /dev/tty; exit 3\n");
    shows("/dev/pts/");
    shows("size 43 132 xterm-256color\r\n");
    shows("here\r\n");
    assertThat(end()).isEqualTo(new ProcessEnd.Code(3));
    assertThat(shell.standardError().read()).isEqualTo(-1);
  }

  @Test
  void aNewSizeArrivesWithItsSignal() throws Exception {
    type(
        "exec sh -c 'trap \"stty size; exit 8\" WINCH; echo rea\"dy\"; while :; do sleep 0.02;"
            + " done'\n");
    shows("ready\r\n");
    shell.resize(new TerminalSize(99, 11));
    shows("11 99\r\n");
    assertThat(end()).isEqualTo(new ProcessEnd.Code(8));
  }

  @Test
  void theInterruptKeyEndsTheProgramInFrontAndNotTheShell() throws Exception {
    type("sh -c 'echo run\"\"ning; exec sleep 1000'\n");
    shows("running\r\n");
    type(INTERRUPT);
    type("echo \"after $?\"; exit 6\n");
    shows("after 130\r\n");
    assertThat(end()).isEqualTo(new ProcessEnd.Code(6));
  }

  @Test
  void theEndOfItsInputEndsTheShell() throws Exception {
    type("echo rea\"\"dy\n");
    shows("ready\r\n");
    shell.standardInput().close();
    assertThat(end()).isEqualTo(new ProcessEnd.Code(0));
  }

  @Test
  void theEndOfItsInputAfterALineThatWasBegunEndsTheProgram() throws Exception {
    type("exec cat\n");
    type("begun");
    shell.standardInput().close();
    shows("begunbegun");
    assertThat(end()).isEqualTo(new ProcessEnd.Code(0));
  }

  @Test
  void closingHangsUpOnEverythingInTheTerminal() throws Exception {
    type("sleep 1000 & echo chi\"\"ld $!.\n");
    shows("child ");
    String pid = "";
    for (int next = shell.standardOutput().read(); next != '.'; ) {
      pid += (char) next;
      next = shell.standardOutput().read();
    }
    assertThat(Gangs.runs(Long.parseLong(pid))).isTrue();
    shell.close();
    assertThat(Gangs.runs(Long.parseLong(pid))).isFalse();
    assertThat(shell.end().join()).isEqualTo(new ProcessEnd.Signal(1));
    assertThat(shell.endedBecause()).contains("it was closed");
  }
}
