// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardianTest {
  @TempDir Path directory;

  @Test
  void leavesInOrderAndEndsNothing() {
    Guardian guardian = new Guardian(new Spawn(), InstantSource.system());
    guardian.register("scope-a", Optional.empty(), directory);
    int pid = guardian.pid().orElseThrow();
    assertThat(Fixture.alive(pid)).isTrue();

    guardian.close();

    assertThat(Fixture.alive(pid)).isFalse();
    assertThat(directory).exists();
    assertThatThrownBy(() -> guardian.register("scope-b", Optional.empty(), directory))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void isReplacedWhenItDies() {
    try (Fixture fixture = new Fixture(directory)) {
      Guardian guardian = fixture.supervisor.guardian();
      int first = guardian.pid().orElseThrow();
      long born = System.nanoTime();
      Await.until(
          "it has lived long enough",
          Duration.ofSeconds(5),
          () -> System.nanoTime() - born > Duration.ofMillis(1100).toNanos());

      assertThat(LibC.kill(first, LibC.SIGKILL)).isZero();

      Await.until(
          "another guardian stands by",
          Fixture.LIMIT,
          () -> guardian.pid().filter(pid -> pid != first && Fixture.alive(pid)).isPresent());
    }
  }

  @Test
  void isStartedAgainForTheNextScopeWhenItDiesAtOnce() {
    try (Fixture fixture = new Fixture(directory)) {
      Guardian guardian = fixture.supervisor.guardian();
      int first = guardian.pid().orElseThrow();
      assertThat(LibC.kill(first, LibC.SIGKILL)).isZero();
      Await.until("it has died", Fixture.LIMIT, () -> !Fixture.alive(first));

      assertThat(fixture.another("next").running()).isEmpty();

      assertThat(guardian.pid()).get().isNotEqualTo(first);
    }
  }

  @Test
  void ignoresRequestsToEnd() {
    try (Fixture fixture = new Fixture(directory)) {
      int pid = fixture.supervisor.guardian().pid().orElseThrow();
      assertThat(LibC.kill(-pid, LibC.SIGTERM)).isZero();

      assertThat(Fixture.exit(fixture.start("true"))).isEqualTo(new ProcessExit.Code(0));
      assertThat(Fixture.alive(pid)).isTrue();
    }
  }

  @Test
  void refusesADirectoryThatIsNotTheScopesOwn() {
    try (Fixture fixture = new Fixture(directory)) {
      for (String path : new String[] {"/", "relative-node-1", "/tmp", "/tmp/node-1/../etc"}) {
        assertThatThrownBy(() -> fixture.supervisor.scope("node-1", Path.of(path)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(path);
      }
      assertThatThrownBy(() -> fixture.supervisor.scope("a b", directory))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
