// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.ClusterContext;
import dev.clustered.ClusterTask;
import dev.clustered.agent.protocol.ContractNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TaskMainTest {

  @TempDir Path home;

  /** What a task is given. */
  public record Question(String text, List<Integer> numbers) {}

  /** A task with a type of its own on either side, by way of a generic superclass. */
  public abstract static class Typed<T> implements ClusterTask<Question, T> {}

  public static final class Sum extends Typed<Map<String, Integer>> {
    @Override
    public Map<String, Integer> run(ClusterContext context, Question input) {
      int sum = input.numbers().stream().mapToInt(Integer::intValue).sum();
      return Map.of(input.text(), sum, "rank", context.rank());
    }
  }

  public static final class LeavesAThread implements ClusterTask<Object, String> {
    @Override
    public String run(ClusterContext context, Object input) {
      new Thread(() -> new Semaphore(0).acquireUninterruptibly()).start();
      return "done";
    }
  }

  public static final class Fails implements ClusterTask<Void, String> {
    @Override
    public String run(ClusterContext context, Void input) throws Exception {
      throw new IOException("disk is gone");
    }
  }

  public static final class Exits implements ClusterTask<Void, String> {
    @Override
    public String run(ClusterContext context, Void input) {
      System.exit(42);
      return "never";
    }
  }

  private record Ended(int code, String output) {}

  @Test
  void readsTheInputAsTheTasksTypeAndLeavesTheResult() throws Exception {
    Files.writeString(home.resolve("input"), "{\"text\":\"sum\",\"numbers\":[1,2,3]}");
    assertThat(run(Sum.class, home.resolve("input")).code()).isZero();
    assertThat(Files.readString(home.resolve("result"))).contains("\"sum\":6", "\"rank\":1");
  }

  @Test
  void saysWhatIsMissingWhenATaskWithInputGetsNone() throws Exception {
    Ended ended = run(Sum.class, null);
    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.output()).contains("takes an input of type").contains("Question");
    assertThat(home.resolve("result")).doesNotExist();
  }

  @Test
  void exitsThoughTheTaskLeavesAThread() throws Exception {
    assertThat(run(LeavesAThread.class, null).code()).isZero();
    assertThat(home.resolve("result")).hasContent("\"done\"");
  }

  @Test
  void exitsWithOneAndTheStackTraceWhenTheTaskThrows() throws Exception {
    Ended ended = run(Fails.class, null);
    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.output()).contains("IOException: disk is gone").contains("Fails.run");
  }

  @Test
  void keepsTheCodeOfATaskThatExitsByItself() throws Exception {
    assertThat(run(Exits.class, null).code()).isEqualTo(42);
    assertThat(home.resolve("result")).doesNotExist();
  }

  private Ended run(Class<?> task, @Nullable Path input) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    ProcessBuilder builder =
        new ProcessBuilder(
                java.toString(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                TaskMain.class.getName())
            .redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.put(ContractNames.TASK_CLASS, task.getName());
    if (input != null) {
      environment.put(ContractNames.TASK_INPUT_FILE, input.toString());
    }
    environment.put(ContractNames.RESULT_FILE, home.resolve("result").toString());
    environment.put(ContractNames.CLUSTER_ID, "c1");
    environment.put(ContractNames.ATTEMPT, "1");
    environment.put(ContractNames.RANK, "1");
    environment.put(ContractNames.SIZE, "2");
    environment.put(ContractNames.ADDRESSES, "127.0.0.1,127.0.0.2");
    environment.put(ContractNames.MASTER_PORT, "21000");
    environment.put(ContractNames.GPUS_PER_NODE, "0");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }
}
