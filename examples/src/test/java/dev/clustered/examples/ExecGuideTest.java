// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.ExecRequest;
import dev.clustered.ExecResult;
import dev.clustered.RemoteProcess;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ProcessEnd;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of the guide's page on commands beside ranks. */
@Tag("integration")
@Timeout(60)
@ExtendWith(NothingLeft.class)
class ExecGuideTest {

  private Cluster cluster;

  @BeforeEach
  void launch() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("lasts").nodes(2).command("sleep", "1000").build();
    cluster = Clusters.launch(spec).await();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void aCommandRunsToItsEnd() throws Exception {
    // region command
    ExecResult result = cluster.exec(1, List.of("printenv", "NODE_RANK"), Duration.ofSeconds(30));
    String rank = result.success() ? result.outputText() : result.errorText();
    // endregion
    assertThat(rank).isEqualTo("1\n");
  }

  @Test
  void aCommandAnswersWhileItRuns() throws Exception {
    String answer;
    // region streams
    try (RemoteProcess process = cluster.exec(0, ExecRequest.of("sh"));
        PrintStream input = new PrintStream(process.standardInput(), true, StandardCharsets.UTF_8);
        BufferedReader output =
            new BufferedReader(
                new InputStreamReader(process.standardOutput(), StandardCharsets.UTF_8))) {
      input.println("echo $((6 * 7))");
      answer = output.readLine();
    }
    // endregion
    assertThat(answer).isEqualTo("42");
  }

  @Test
  void aShellRunsInATerminal() throws Exception {
    StringBuilder screen = new StringBuilder();
    ProcessEnd end;
    // region terminal
    ExecRequest request = ExecRequest.of("sh").withTerminal(120, 40);
    try (RemoteProcess shell = cluster.exec(0, request)) {
      shell.standardInput().write("stty size; exit 3\n".getBytes(StandardCharsets.UTF_8));
      for (int next; (next = shell.standardOutput().read()) >= 0; ) {
        screen.append((char) next);
      }
      end = shell.end().join();
    }
    // endregion
    assertThat(end).isEqualTo(new ProcessEnd.Code(3));
    assertThat(screen).contains("40 120\r\n");
  }
}
