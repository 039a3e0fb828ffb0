// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is seen of GPUs, through a real shared library that answers what the test says. */
class GpuProbeTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> BOTH = List.of("0", "1");

  @TempDir Path directory;

  private NvmlLibrary library;
  private GpuProbe probe;

  @BeforeEach
  void open() throws Exception {
    library = NvmlLibrary.compile(directory);
    probe = new GpuProbe(library.path(), PATIENCE);
  }

  @AfterEach
  void close() {
    probe.close();
  }

  @Test
  void tellsTheBusyFromTheIdle() throws Exception {
    library.gpu(0, 37);
    assertThat(probe.look(BOTH)).containsExactly(new GpuLook.Worked(37), new GpuLook.Idle());
    library.gpu(0, 0).gpu(1, 100);
    assertThat(probe.look(BOTH)).containsExactly(new GpuLook.Idle(), new GpuLook.Worked(100));
  }

  @Test
  void findsAGpuByItsUuid() throws Exception {
    library.gpu(0, 5);
    List<GpuLook> looks = probe.look(List.of("GPU-5f3a", "MIG-0"));
    assertThat(looks.getFirst()).isEqualTo(new GpuLook.Worked(5));
    assertThat(looks.getLast())
        .isEqualTo(new GpuLook.Unseen("nvmlDeviceGetHandleByUUID failed with 6 (Other)"));
  }

  @Test
  void givesTheLibraryBackWhenItIsClosed() throws Exception {
    assertThat(probe.look(BOTH)).hasSize(2);
    assertThat(probe.look(BOTH)).hasSize(2);
    assertThat(library.users()).isEqualTo(1);
    probe.close();
    assertThat(library.users()).isZero();
  }

  @Test
  void aLibraryThatIsAbsentIsAValue() throws Exception {
    GpuProbe absent = new GpuProbe("libabsent-ml.so.1", PATIENCE);
    assertThat(absent.look(BOTH))
        .hasSize(2)
        .containsOnly(new GpuLook.Unseen("there is no libabsent-ml.so.1"));
    absent.close();
  }

  @Test
  void aLibraryThatLacksAFunctionIsAValue() throws Exception {
    GpuProbe other = new GpuProbe("libc.so.6", PATIENCE);
    assertThat(other.look(List.of("0")).getFirst())
        .isInstanceOfSatisfying(
            GpuLook.Unseen.class, unseen -> assertThat(unseen.why()).contains("nvmlInit_v2"));
    other.close();
  }

  @Test
  void aDriverThatIsNotLoadedIsNamedAndLookedForAgain() throws Exception {
    library.answer("init", 9).gpu(0, 3);
    assertThat(probe.look(List.of("0")))
        .containsExactly(new GpuLook.Unseen("nvmlInit_v2 failed with 9 (Driver Not Loaded)"));
    library.answer("init", 0);
    assertThat(probe.look(List.of("0"))).containsExactly(new GpuLook.Worked(3));
  }

  @Test
  void oneGpuThatTellsNothingHidesNoOther() throws Exception {
    library.answer("error0", 3).gpu(1, 4);
    List<GpuLook> looks = probe.look(List.of("0", "1", "2"));
    assertThat(looks.get(0))
        .isEqualTo(new GpuLook.Unseen("nvmlDeviceGetUtilizationRates failed with 3 (Other)"));
    assertThat(looks.get(1)).isEqualTo(new GpuLook.Worked(4));
    assertThat(looks.get(2)).isEqualTo(new GpuLook.Unseen("the driver has 2"));
  }

  @Test
  void aCallThatDoesNotComeBackIsWaitedForOnceAndSeenAgainAfterwards() throws Exception {
    GpuProbe hasty = new GpuProbe(library.path(), Duration.ofMillis(300));
    library.answer("blocked", 1).gpu(0, 100);
    assertThat(hasty.look(BOTH)).hasSize(2).allSatisfy(GpuProbeTest::unanswered);
    assertThat(hasty.look(BOTH)).hasSize(2).allSatisfy(GpuProbeTest::unanswered);
    assertThat(library.looks()).isEqualTo(1);
    library.answer("blocked", 0);
    Eventually.until(
        () -> "it is not seen again", () -> look(hasty).getFirst().equals(new GpuLook.Worked(100)));
    hasty.close();
    library.awaitNobody();
  }

  private static List<GpuLook> look(GpuProbe probe) {
    try {
      return probe.look(BOTH);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void unanswered(GpuLook look) {
    assertThat(look)
        .isInstanceOfSatisfying(
            GpuLook.Unseen.class,
            unseen -> assertThat(unseen.why()).startsWith("NVML has not answered for "));
  }
}
