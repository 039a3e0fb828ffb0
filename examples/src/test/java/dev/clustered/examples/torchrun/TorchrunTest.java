// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.examples.console.RunPrinter;
import dev.clustered.examples.console.Screen;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.testkit.NothingLeft;
import dev.clustered.testkit.RealPart;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("integration")
@ExtendWith(NothingLeft.class)
class TorchrunTest {
  private static final Pattern DONE =
      Pattern.compile("done +(\\d+\\.\\d+) % of the test images recognised");

  private TorchrunProgram torchrun = new TorchrunProgram("");

  @BeforeEach
  void findTorchrun() {
    torchrun = new TorchrunProgram(RealPart.executable("torchrun").require().getParent() + ":/bin");
  }

  @Test
  void trainsOneModelInFourProcessesOnTwoNodes() throws Exception {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    ByteArrayOutputStream problems = new ByteArrayOutputStream();
    TorchrunOptions options = new TorchrunOptions(2, 2, 10);
    int code =
        new Torchrun(
                options,
                torchrun,
                new RunPrinter(new PrintStream(shown, true, UTF_8), Screen.PLAIN, options.epochs()),
                new PrintStream(problems, true, UTF_8))
            .run();

    assertThat(problems.toString(UTF_8)).isEmpty();
    assertThat(code).isZero();
    List<String> lines = shown.toString(UTF_8).lines().toList();
    assertThat(lines)
        .filteredOn(line -> line.startsWith("epoch"))
        .hasSize(10)
        .last()
        .asString()
        .startsWith("epoch  10/10   loss 0.");
    assertThat(lines)
        .anyMatch(line -> line.startsWith("verdict    succeeded"))
        .anyMatch(line -> line.matches("process 3 +trained for .* s"))
        .anyMatch(line -> line.matches("used .* node seconds run"))
        .anyMatch(line -> line.matches("compared +the models of all 4 processes are equal, .*"));
    assertThat(lines.stream().map(DONE::matcher).filter(Matcher::matches))
        .singleElement()
        .extracting(done -> Double.parseDouble(done.group(1)), as(InstanceOfAssertFactories.DOUBLE))
        .isBetween(90.0, 100.0);
  }

  @Test
  void endsTheWholeClusterWhenAWorkerRaisesAndNamesItsNode() throws Exception {
    // The others need nothing of the worker that raises, so only the engine ends them.
    String script =
        """
        import os
        import signal

        if os.environ["RANK"] == "3":
            raise ValueError("worker 3 cannot go on")
        while True:
            signal.pause()
        """;
    ClusterSpec spec =
        ClusterSpec.builder("failing-worker")
            .nodes(2)
            .file("train.py", script.getBytes(UTF_8))
            .command("torchrun", "train.py")
            .environment("PET_NPROC_PER_NODE", "2")
            .environment("PATH", torchrun.searchPath())
            .grace(Duration.ofSeconds(10))
            .timeLimit(Duration.ofMinutes(5))
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      // region cause
      ClusterExit exit = cluster.join();
      Cause cause = exit.cause().orElseThrow();
      System.out.println(cause.message());
      System.out.println(exit.ranks().get(cause.rank().orElseThrow()).logTail());
      // endregion
      assertThat(exit.outcome()).isEqualTo(ClusterExit.Outcome.FAILED);
      assertThat(cause.code()).isEqualTo(ErrorCode.RANK_FAILED);
      assertThat(cause.rank()).hasValue(1);
      assertThat(cause.end()).contains(new ProcessEnd.Code(1));
      assertThat(cause.message()).contains("on node " + cluster.nodes().get(1).id());
      assertThat(exit.ranks())
          .extracting(RankExit::by)
          .containsExactly(RankExit.EndedBy.ENGINE, RankExit.EndedBy.ITSELF);
      assertThat(exit.ranks().get(1).logTail()).contains("rank      : 3 (local_rank: 1)");
    }
  }
}
