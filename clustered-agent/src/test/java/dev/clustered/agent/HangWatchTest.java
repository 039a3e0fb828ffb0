// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.gpu.GpuProbe;
import dev.clustered.agent.gpu.NvmlLibrary;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.ObservedWork;
import dev.clustered.agent.protocol.ObservedWork.Stillness;
import dev.clustered.agent.protocol.Preamble;
import dev.clustered.model.ClusterId;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the watch tells, counted in its own looks, so that a slow machine changes nothing. */
class HangWatchTest {

  private static final HangPolicy POLICY = HangPolicy.silentFor(Duration.ofSeconds(1));
  private static final int LOOKS = 15;

  @TempDir Path directory;

  /** A process that, at every look, has computed and written something, until it falls asleep. */
  private final class Looked implements NodeRuntime.Running {

    private final CompletableFuture<ProcessEnd> end = new CompletableFuture<>();
    private volatile CountDownLatch looks = new CountDownLatch(LOOKS);
    private volatile boolean works;
    private volatile Duration used = Duration.ZERO;

    Looked(boolean works) {
      this.works = works;
    }

    void awaitLooks() throws InterruptedException {
      looks = new CountDownLatch(LOOKS);
      assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public Optional<Duration> processorTime() {
      if (works) {
        used = used.plusSeconds(1_000);
        try {
          Files.writeString(directory.resolve("log"), "x", StandardOpenOption.APPEND);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      looks.countDown();
      return Optional.of(used);
    }

    @Override
    public long processId() {
      return 1;
    }

    @Override
    public CompletableFuture<ProcessEnd> end() {
      return end;
    }

    @Override
    public void signal(int signal) {}

    @Override
    public void terminate(Duration grace) {}
  }

  private HangWatch watch(Looked process, GpuWatch gpus, List<Stillness> told) {
    return new HangWatch(
        POLICY,
        new WorkFiles(directory),
        List.of(List.of(process)),
        gpus,
        new Wish(
            new DesiredWork(
                new ClusterId("cl-1"),
                1,
                0,
                DesiredWork.Step.RUN,
                Map.of(),
                Preamble.NONE,
                Duration.ZERO,
                Optional.empty(),
                Optional.empty())),
        told::add);
  }

  @Test
  void whatGetsOnIsNeverToldAndWhatStandsStillOnce() throws Exception {
    Files.createFile(directory.resolve("log"));
    List<Stillness> told = new CopyOnWriteArrayList<>();
    Looked process = new Looked(true);
    HangWatch watch = watch(process, GpuWatch.of(Map.of()), told);
    watch.start("test");
    try {
      process.awaitLooks();
      process.awaitLooks();
      assertThat(told).isEmpty();
      process.works = false;
      Eventually.until(
          told::toString,
          () ->
              !told.isEmpty()
                  && told.getLast().quiet().isPresent()
                  && told.getLast().idle().isPresent());
      int begun = told.size();
      assertThat(begun).isLessThanOrEqualTo(2);
      process.awaitLooks();
      process.awaitLooks();
      assertThat(told).hasSize(begun);
      process.works = true;
      Eventually.until(told::toString, () -> told.getLast().sameAs(Stillness.NONE));
    } finally {
      watch.close();
    }
  }

  @Test
  void aGpuThatIsIdleIsToldAndThatItWorksAgain() throws Exception {
    NvmlLibrary library = NvmlLibrary.compile(directory);
    library.gpu(0, 100).gpu(1, 100);
    Files.createFile(directory.resolve("log"));
    List<Stillness> told = new CopyOnWriteArrayList<>();
    GpuProbe probe = new GpuProbe(library.path(), Duration.ofSeconds(30));
    HangWatch watch = watch(new Looked(true), new GpuWatch(List.of("0", "1"), probe), told);
    watch.start("test");
    try {
      library.gpu(1, 0);
      Eventually.until(told::toString, () -> !told.isEmpty());
      ObservedWork.Gpus gpus = told.getFirst().gpus().orElseThrow();
      assertThat(gpus.busy()).containsExactly("0");
      assertThat(gpus.idle()).containsExactly("1");
      assertThat(gpus.idleFor()).isGreaterThan(Duration.ofSeconds(1));
      assertThat(gpus.unseen()).isEmpty();
      assertThat(told.getFirst().computed()).isPresent();
      library.gpu(1, 1);
      Eventually.until(told::toString, () -> told.getLast().sameAs(Stillness.NONE));
    } finally {
      watch.close();
    }
    library.awaitNobody();
  }

  @Test
  void gpusThatCannotBeSeenAreToldOnlyWithSomethingElse() throws Exception {
    Files.createFile(directory.resolve("log"));
    List<Stillness> told = new CopyOnWriteArrayList<>();
    Looked process = new Looked(true);
    GpuProbe probe = new GpuProbe("libabsent-ml.so.1", Duration.ofSeconds(30));
    HangWatch watch = watch(process, new GpuWatch(List.of("0"), probe), told);
    watch.start("test");
    try {
      process.awaitLooks();
      assertThat(told).isEmpty();
      process.works = false;
      Eventually.until(told::toString, () -> !told.isEmpty());
      assertThat(told.getLast().gpus().orElseThrow().unseen())
          .contains("there is no libabsent-ml.so.1");
    } finally {
      watch.close();
    }
  }
}
