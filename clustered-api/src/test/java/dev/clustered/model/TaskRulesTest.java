// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.ClusterContext;
import dev.clustered.ClusterTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TaskRulesTest {

  /** A task by way of a superclass and an interface of its own. */
  public interface Step extends ClusterTask<Void, String> {}

  /** Says what all tasks here say. */
  public abstract static class Says implements Step {
    @Override
    public String run(ClusterContext context, Void input) {
      return "said";
    }
  }

  /** As it should be. */
  public static final class Sound extends Says {}

  /** Nobody else may make one. */
  public static final class Closed extends Says {
    private Closed() {}
  }

  /** Wants to be told something. */
  public static final class Told extends Says {
    public Told(String what) {
      assertThat(what).isNotNull();
    }
  }

  /** Belongs to an instance. */
  public final class Inner extends Says {
    @Override
    public String run(ClusterContext context, Void input) {
      return "said by one of " + TaskRulesTest.this;
    }
  }

  static final class Hidden extends Says {
    public Hidden() {}
  }

  static Stream<Arguments> unsound() {
    final class Local extends Says {}
    Step lambda = (context, input) -> "said";
    return Stream.of(
        Arguments.of(String.class, "does not implement"),
        Arguments.of(Step.class, "is abstract"),
        Arguments.of(Says.class, "is abstract"),
        Arguments.of(Closed.class, "public constructor"),
        Arguments.of(Told.class, "public constructor"),
        Arguments.of(Inner.class, "public constructor"),
        Arguments.of(Hidden.class, "is not public"),
        Arguments.of(Local.class, "no name of its own"),
        Arguments.of(new Says() {}.getClass(), "no name of its own"),
        Arguments.of(lambda.getClass(), "no name of its own"));
  }

  @Test
  void takesATaskThatAnotherJvmCanMake() {
    ClusterSpec spec = ClusterSpec.builder("x").task(Sound.class, "input").build();
    assertThat(spec.workload()).isInstanceOf(Workload.Task.class);
    assertThat(spec.toBuilder().build().workload()).isEqualTo(spec.workload());
  }

  @ParameterizedTest
  @MethodSource("unsound")
  void refusesATaskThatNoJvmCanMakeAndNamesTheClass(Class<?> type, String reason) {
    ClusterSpec.Builder spec = ClusterSpec.builder("x").nodes(0).task(type);
    assertThatThrownBy(spec::build)
        .isInstanceOfSatisfying(
            InvalidSpecException.class,
            e ->
                assertThat(e.problems())
                    .extracting(InvalidSpecException.Problem::field)
                    .containsExactly("nodes", "task"))
        .hasMessageContaining(type.getName())
        .hasMessageContaining(reason);
  }

  @Test
  void aClassThatWasReplacedByAnotherWorkloadIsNotLookedAt() {
    assertThat(ClusterSpec.builder("x").task(String.class).command("true").build().workload())
        .isInstanceOf(Workload.Command.class);
  }
}
