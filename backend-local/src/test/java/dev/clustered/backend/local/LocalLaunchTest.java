// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NothingLeft.class)
class LocalLaunchTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir private Path directory;

  @Test
  void takesTheBootTimeForTheWholeLaunchAndTellsItInOffers() throws InterruptedException {
    Duration bootTime = Duration.ofMillis(200);
    try (OpenBackend local = open(LocalBackend.builder().bootTime(bootTime))) {
      assertThat(local.offer("local.cpu").bootTime()).isEqualTo(bootTime);
      long begin = System.nanoTime();
      List<Instance> launched = local.launch("slow", 8);
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      assertThat(took).isBetween(bootTime, bootTime.multipliedBy(8));
      assertThat(launched).extracting(Instance::state).containsOnly(Instance.State.RUNNING);
    }
  }

  @Test
  void answersOtherCallsWhileALaunchBoots() throws Exception {
    try (OpenBackend local = open(LocalBackend.builder().nodes(4).bootTime(LONG))) {
      Launcher slow = Launcher.start(local, local.request("slow", 3));
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).hasSize(3));
      assertThat(local.listed()).extracting(Instance::state).containsOnly(Instance.State.PENDING);
      assertThat(local.offer("local.cpu").available()).isEqualTo(1);
      slow.interrupt();
      assertThat(slow.failure()).isInstanceOf(InterruptedException.class);
    }
  }

  @Test
  void leavesNothingOfALaunchThatIsInterruptedWhileItBoots() throws Exception {
    try (OpenBackend local = open(LocalBackend.builder().nodes(4).bootTime(LONG))) {
      Launcher slow = Launcher.start(local, local.request("slow", 4));
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).hasSize(4));
      slow.interrupt();
      assertThat(slow.failure()).isInstanceOf(InterruptedException.class);
      assertThat(local.listed()).isEmpty();
      assertThat(local.offer("local.cpu").available()).isEqualTo(4);
    }
  }

  @Test
  void letsASecondCallerTakeThePlaceOfAnInterruptedOne() throws Exception {
    try (OpenBackend local = open(LocalBackend.builder().nodes(2).bootTime(LONG))) {
      LaunchRequest request = local.request("same", 2);
      Launcher first = Launcher.start(local, request);
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).hasSize(2));
      Launcher second = Launcher.start(local, request);
      first.interrupt();
      assertThat(first.failure()).isInstanceOf(InterruptedException.class);
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).hasSize(2));
      second.interrupt();
      assertThat(second.failure()).isInstanceOf(InterruptedException.class);
    }
  }

  @Test
  void endsALaunchOfWhichANodeIsTerminatedWhileItBoots() throws Exception {
    Duration bootTime = Duration.ofMillis(300);
    try (OpenBackend local = open(LocalBackend.builder().nodes(2).bootTime(bootTime))) {
      Launcher slow = Launcher.start(local, local.request("slow", 2));
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).hasSize(2));
      local.terminate(local.listed().subList(0, 1));
      assertThat(slow.failure()).hasMessageContaining("terminated while it booted");
      assertThat(local.listed()).isEmpty();
    }
  }

  @Test
  void failsALaunchUnderWayWhenTheBackendCloses() throws Exception {
    OpenBackend local = open(LocalBackend.builder().bootTime(LONG));
    try (local) {
      Launcher slow = Launcher.start(local, local.request("slow", 2));
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).hasSize(2));
      local.close();
      assertThat(slow.failure()).isInstanceOf(ClusterException.class);
    }
    ClusterException refused =
        catchThrowableOfType(ClusterException.class, () -> local.launch("late", 1));
    assertThat(refused.code()).isEqualTo(ErrorCode.ENGINE_CLOSED);
  }

  @Test
  void givesEveryNodeAnAddressAndADirectoryThatGoWithIt() throws Exception {
    try (OpenBackend local = open(LocalBackend.builder())) {
      List<Instance> launched = new ArrayList<>(local.launch("one", 2));
      launched.addAll(local.launch("two", 2));
      assertThat(launched.stream().flatMap(node -> node.addresses().stream()))
          .hasSize(4)
          .doesNotHaveDuplicates()
          .allMatch(address -> address.startsWith("127.") && !address.equals("127.0.0.1"));
      assertThat(directories()).containsExactlyInAnyOrder("one-0", "one-1", "two-0", "two-1");
      local.terminate(launched);
      assertThat(directories()).isEmpty();
    }
  }

  @Test
  void takesASecondTerminateForNoError() throws InterruptedException {
    try (OpenBackend local = open(LocalBackend.builder())) {
      List<Instance> launched = local.launch("one", 2);
      local.terminate(launched);
      local.terminate(launched);
      assertThat(local.capacity().launch(local.request("one", 2)))
          .extracting(Instance::state)
          .containsOnly(Instance.State.ENDED);
      assertThat(local.capacity().notices()).isEmpty();
    }
  }

  @Test
  void refusesABootstrapThatIsNoneWithoutQuotingIt() {
    try (OpenBackend local = open(LocalBackend.builder())) {
      LaunchRequest good = local.request("bad", 1);
      LaunchRequest bad =
          new LaunchRequest(
              good.id(),
              good.owner(),
              good.offer(),
              List.of(new LaunchRequest.Bootstrap(good.nodes().getFirst().node(), "{s3cret")),
              good.rdma());
      ClusterException refused =
          catchThrowableOfType(ClusterException.class, () -> local.capacity().launch(bad));
      assertThat(refused).hasMessageContaining("bad-0").hasNoCause();
      assertThat(refused.toString()).doesNotContain("s3cret");
      assertThat(local.offer("local.cpu").available()).isEqualTo(64);
    }
  }

  private OpenBackend open(LocalBackend.Builder builder) {
    return OpenBackend.open(builder.factory(), directory);
  }

  private List<String> directories() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  /** A launch on a thread of its own. */
  private record Launcher(FutureTask<List<Instance>> task, Thread thread) {

    static Launcher start(OpenBackend local, LaunchRequest request) {
      FutureTask<List<Instance>> task = new FutureTask<>(() -> local.capacity().launch(request));
      return new Launcher(task, Thread.ofPlatform().name("launcher").start(task));
    }

    void interrupt() {
      thread.interrupt();
    }

    Throwable failure() throws InterruptedException {
      thread.join();
      return task.exceptionNow();
    }
  }
}
