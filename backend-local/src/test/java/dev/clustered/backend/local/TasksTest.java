// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterContext;
import dev.clustered.ClusterEngine;
import dev.clustered.ClusterTask;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.ProcessEnd;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Java tasks on whole clusters. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class TasksTest {

  private ClusterEngine engine;

  @BeforeEach
  void open() {
    engine = Clusters.engine().backend(LocalBackend.builder().factory()).open();
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private Cluster launch(ClusterSpec.Builder spec) throws InterruptedException {
    return engine.launch(spec.grace(Duration.ofSeconds(2)).build()).await();
  }

  private static ClusterSpec.Builder spec(int nodes) {
    return ClusterSpec.builder("task").nodes(nodes);
  }

  /** The input of {@link Describes}. */
  public record Question(String text, List<Integer> numbers, Optional<Duration> limit) {}

  /** The result of {@link Describes}. */
  public record Answer(int rank, int size, int sum, String text, Map<String, Duration> limits) {}

  /** Answers a question. */
  public static final class Describes implements ClusterTask<Question, Answer> {
    @Override
    public Answer run(ClusterContext context, Question input) {
      int sum = input.numbers().stream().mapToInt(n -> n).sum() * context.rank();
      return new Answer(
          context.rank(),
          context.size(),
          sum,
          input.text(),
          Map.of("limit", input.limit().orElseThrow()));
    }
  }

  @Test
  void everyRankGetsTheTypedInputAndItsTypedResultComesBackInRankOrder() throws Exception {
    Question question =
        new Question("Grüße 🚀\n\"\\", List.of(1, 2, 3), Optional.of(Duration.ofMillis(1_500)));
    try (Cluster cluster = launch(spec(3).task(Describes.class, question))) {
      List<Answer> answers = cluster.results(Answer.class);
      assertThat(answers).extracting(Answer::rank).containsExactly(0, 1, 2);
      assertThat(answers).extracting(Answer::sum).containsExactly(0, 6, 12);
      assertThat(answers)
          .allSatisfy(
              answer -> {
                assertThat(answer.size()).isEqualTo(3);
                assertThat(answer.text()).isEqualTo(question.text());
                assertThat(answer.limits()).containsEntry("limit", Duration.ofMillis(1_500));
              });
    }
  }

  /** Fails on rank 1; the others wait for it. */
  public static final class FailsOnOne implements ClusterTask<Void, String> {
    @Override
    public String run(ClusterContext context, Void input) throws Exception {
      if (context.rank() == 1) {
        throw new IOException("the disk of rank one is gone");
      }
      new Semaphore(0).acquire();
      return "never";
    }
  }

  @Test
  void aTaskThatThrowsEndsTheClusterAndItsTextStandsInTheLogOfItsRank() throws Exception {
    try (Cluster cluster = launch(spec(3).task(FailsOnOne.class))) {
      ClusterExit exit = cluster.join();
      assertThat(exit.cause().orElseThrow().rank()).hasValue(1);
      assertThat(exit.cause().orElseThrow().end()).contains(new ProcessEnd.Code(1));
      assertThat(exit.ranks().get(1).logTail())
          .contains("java.io.IOException: the disk of rank one is gone", "FailsOnOne.run");
      assertThat(exit.ranks().get(0).logTail()).doesNotContain("the disk");
      assertThatThrownBy(() -> cluster.results(String.class))
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RANK_FAILED))
          .hasMessageContaining("rank 1");
    }
  }

  @Test
  void aResultOfAnotherClassIsAnErrorThatNamesRankAndClass() throws Exception {
    ClusterSpec.Builder spec =
        spec(2).command("sh", "-c", "echo '\"text\"' > \"$CLUSTERED_RESULT_FILE\"");
    try (Cluster cluster = launch(spec)) {
      assertThat(cluster.results(String.class)).containsExactly("text", "text");
      assertThatThrownBy(() -> cluster.results(Answer.class))
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RANK_FAILED))
          .hasMessageContainingAll("rank 0", Answer.class.getName(), cluster.id().value());
    }
  }

  @Test
  void aRankThatGaveNoUsableResultIsNamedWithTheReasonsThereMayBe() throws Exception {
    for (String nothing : List.of("true", "echo '{half' > \"$CLUSTERED_RESULT_FILE\"")) {
      String script =
          "if [ $NODE_RANK = 1 ]; then " + nothing + "; else echo 1 > $CLUSTERED_RESULT_FILE; fi";
      try (Cluster cluster = launch(spec(2).command("sh", "-c", script))) {
        assertThatThrownBy(() -> cluster.results(Integer.class))
            .isInstanceOf(ClusterException.class)
            .hasMessageContainingAll("rank 1", "CLUSTERED_RESULT_FILE", "8 MiB", "JSON");
      }
    }
  }

  /** Tells how large its input is. */
  public static final class Measures implements ClusterTask<List<String>, Integer> {
    @Override
    public Integer run(ClusterContext context, List<String> input) {
      return input.stream().mapToInt(String::length).sum();
    }
  }

  @Test
  void anInputOfTenMegabytesReachesEveryRank() throws Exception {
    List<String> large = Collections.nCopies(1_000, "é".repeat(10_000));
    try (Cluster cluster = launch(spec(2).task(Measures.class, large))) {
      assertThat(cluster.results(Integer.class)).containsExactly(10_000_000, 10_000_000);
    }
  }

  /** Gives more than a result may have. */
  public static final class GivesTooMuch implements ClusterTask<Void, String> {
    @Override
    public String run(ClusterContext context, Void input) {
      return "x".repeat(9 << 20);
    }
  }

  @Test
  void aResultThatIsTooLargeIsAnErrorThatTellsTheLimit() throws Exception {
    try (Cluster cluster = launch(spec(1).task(GivesTooMuch.class))) {
      assertThatThrownBy(() -> cluster.results(String.class))
          .isInstanceOf(ClusterException.class)
          .hasMessageContainingAll("rank 0", "8 MiB");
    }
  }

  @Test
  void anInputThatIsNoInputOfTheTaskFailsWithTheTypeInTheLog() throws Exception {
    try (Cluster cluster = launch(spec(1).task(Measures.class, Map.of("a", 1)))) {
      ClusterExit exit = cluster.join();
      assertThat(exit.exitCode()).isEqualTo(1);
      assertThat(exit.ranks().getFirst().logTail()).contains("List");
    }
  }

  /** Cannot be written. */
  public static final class Broken {
    private final List<String> texts = List.of();

    public String getText() {
      if (texts.isEmpty()) {
        throw new IllegalStateException("not now");
      }
      return texts.getFirst();
    }
  }

  @Test
  void anInputThatCannotBeWrittenIsRefusedAtTheLaunchAndNamed() {
    assertThatThrownBy(() -> launch(spec(1).task(Measures.class, new Broken())).close())
        .isInstanceOf(InvalidSpecException.class)
        .hasMessageContainingAll("task", Broken.class.getName(), "not now");
    assertThat(engine.pool()).isEmpty();
    assertThat(engine.pending()).isEmpty();
  }
}
