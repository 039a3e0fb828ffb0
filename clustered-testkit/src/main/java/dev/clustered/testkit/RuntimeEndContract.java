// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every {@link NodeRuntime} keeps when work ends: no descendant outlives it, whatever it did
 * to cut its ties. Not thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class RuntimeEndContract {

  /** Starts a process in a session of its own whose parent is gone, and writes its id. */
  private static final String DAEMON =
      "setsid /bin/sh -c 'sleep 3456 & echo daemon $!' & wait $!; ";

  private static final Duration GRACE = Duration.ofSeconds(5);

  @TempDir private Path directory;
  private RuntimeWork work;

  /** For subclasses. */
  protected RuntimeEndContract() {}

  /** A new runtime; the contract closes it. */
  protected abstract NodeRuntime runtime();

  @BeforeEach
  void open() throws IOException {
    work = new RuntimeWork(runtime(), directory);
  }

  @AfterEach
  void close() {
    work.runtime().close();
  }

  @Test
  void endsEveryDescendantOfWorkThatRuns() throws Exception {
    NodeRuntime.Running running = work.start(DAEMON + "echo ready; sleep 4567");
    work.awaitLog(running, "ready");
    long daemon = work.number(running, "daemon");
    assertThat(RuntimeWork.alive(daemon)).isTrue();
    running.terminate(GRACE);
    assertThat(RuntimeWork.alive(daemon)).isFalse();
    assertThat(RuntimeWork.alive(running.processId())).isFalse();
    assertThat(running.end()).isCompletedWithValue(new ProcessEnd.Signal(15));
  }

  @Test
  void endsWhatIsLeftAfterANormalEnd() throws Exception {
    NodeRuntime.Running running = work.start(DAEMON + "exit 0");
    assertThat(work.endOf(running)).isEqualTo(new ProcessEnd.Code(0));
    long daemon = work.number(running, "daemon");
    running.terminate(GRACE);
    assertThat(RuntimeWork.alive(daemon)).isFalse();
    running.terminate(GRACE);
    assertThat(running.end()).isCompletedWithValue(new ProcessEnd.Code(0));
  }

  @Test
  void letsWorkEndByItselfWithinTheGrace() throws Exception {
    NodeRuntime.Running running =
        work.start("trap 'echo saved; exit 3' TERM; echo ready; while :; do sleep 0.05; done");
    work.awaitLog(running, "ready");
    running.terminate(GRACE);
    assertThat(running.end()).isCompletedWithValue(new ProcessEnd.Code(3));
    assertThat(work.log(running)).contains("saved");
  }

  @Test
  void killsWorkThatIgnoresTheTermSignalAfterTheGrace() throws Exception {
    NodeRuntime.Running running =
        work.start("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    work.awaitLog(running, "ready");
    long start = System.nanoTime();
    running.terminate(Duration.ofMillis(300));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(300), GRACE);
    assertThat(running.end()).isCompletedWithValue(new ProcessEnd.Signal(9));
  }

  @Test
  void leavesOtherWorkAlone() throws Exception {
    NodeRuntime.Running first = work.start("echo ready; sleep 4567");
    NodeRuntime.Running second = work.start("echo ready; sleep 4567");
    work.awaitLog(first, "ready");
    work.awaitLog(second, "ready");
    first.terminate(GRACE);
    assertThat(RuntimeWork.alive(second.processId())).isTrue();
    assertThat(second.end()).isNotDone();
    second.terminate(GRACE);
  }

  @Test
  void keepsTheEndsOfManyWorksApart() throws Exception {
    List<NodeRuntime.Running> all = new ArrayList<>();
    for (int code = 0; code < 32; code++) {
      all.add(work.start("exit " + code));
    }
    for (int code = 0; code < 32; code++) {
      assertThat(work.endOf(all.get(code))).isEqualTo(new ProcessEnd.Code(code));
    }
  }

  @Test
  void leavesNothingWhenItIsClosed() throws Exception {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      NodeRuntime.Running running = work.start(DAEMON + "echo ready; sleep 4567");
      work.awaitLog(running, "ready");
      ids.add(running.processId());
      ids.add(work.number(running, "daemon"));
    }
    work.runtime().close();
    assertThat(ids).noneMatch(RuntimeWork::alive);
    work.runtime().close();
  }
}
