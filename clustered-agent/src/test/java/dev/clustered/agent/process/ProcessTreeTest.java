// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ProcessTreeTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Its last process is known by nothing but its parents, the first of which is the rank. */
  private static final String UNMARKED_GRANDCHILD =
      "env -i setsid sh -c 'sleep 1000 & echo $! >child; wait' & wait";

  @TempDir Path directory;

  /** With a cgroup, where this machine has one, and without. */
  static Stream<Optional<Path>> cgroups() {
    return Stream.of(Cgroup.own(), Optional.<Path>empty()).distinct();
  }

  static Stream<Arguments> cgroupsAndGraces() {
    return cgroups()
        .flatMap(cgroups -> Stream.of(Duration.ZERO, LONG).map(grace -> arguments(cgroups, grace)));
  }

  @ParameterizedTest
  @MethodSource("cgroups")
  void endsADescendantThatLeftSessionAndParent(Optional<Path> cgroups) {
    try (Fixture fixture = new Fixture(directory, cgroups)) {
      RankProcess process =
          fixture.start(
              "sh", "-c", "setsid sh -c 'sleep 1000 & echo $! >orphan; exit' & wait; exit 0");
      int orphan = fixture.pidIn("orphan");
      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Code(0));
      assertThat(Fixture.alive(orphan)).isTrue();

      fixture.scope.terminate(Duration.ZERO);

      assertThat(Fixture.alive(orphan)).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("cgroups")
  void endsADescendantThatDroppedItsEnvironment(Optional<Path> cgroups) {
    try (Fixture fixture = new Fixture(directory, cgroups)) {
      RankProcess process =
          fixture.start("sh", "-c", "env -i sh -c 'sleep 1000 & echo $! >orphan'; exit 0");
      int orphan = fixture.pidIn("orphan");
      Fixture.exit(process);
      assertThat(Fixture.alive(orphan)).isTrue();

      fixture.scope.terminate(Duration.ZERO);

      assertThat(Fixture.alive(orphan)).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("cgroupsAndGraces")
  void endsADescendantThatDroppedItsEnvironmentAndSessionUnderALivingParent(
      Optional<Path> cgroups, Duration grace) {
    try (Fixture fixture = new Fixture(directory, cgroups)) {
      RankProcess process = fixture.start("sh", "-c", UNMARKED_GRANDCHILD);
      int child = fixture.pidIn("child");

      fixture.scope.terminate(grace);

      assertThat(Fixture.alive(child)).isFalse();
      assertThat(Fixture.exit(process)).isInstanceOf(ProcessExit.Signal.class);
    }
  }

  @Test
  void endsADescendantThatTheCgroupOfItsParentDoesNotHold() throws IOException {
    Path own = Cgroup.own().orElse(null);
    assumeTrue(
        own != null && Files.isWritable(own.resolve("cgroup.procs")), "no cgroup v2 of ours");
    try (Fixture fixture = new Fixture(directory, Optional.of(own))) {
      fixture.start("sh", "-c", UNMARKED_GRANDCHILD);
      int child = fixture.pidIn("child");
      int parent = ProcessTable.readStat(child).orElseThrow().parent();
      for (int pid : List.of(parent, child)) {
        Await.until("it is inside", Fixture.LIMIT, () -> cgroup(pid).endsWith(fixture.id));
        Files.writeString(own.resolve("cgroup.procs"), Integer.toString(pid));
      }

      fixture.scope.terminate(Duration.ZERO);

      assertThat(Fixture.alive(child)).isFalse();
      assertThat(Fixture.alive(parent)).isFalse();
    }
  }

  private static String cgroup(int pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/cgroup")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void killsAfterTheGraceWhatIgnoresTheRequestToEnd() {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process =
          fixture.start("sh", "-c", "trap '' TERM; echo $$ >ready; while :; do sleep 1; done");
      fixture.pidIn("ready");
      long before = System.nanoTime();

      fixture.scope.terminate(Duration.ofMillis(300));

      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isBetween(Duration.ofMillis(300), Duration.ofSeconds(10));
      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Signal(9));
    }
  }

  @Test
  void asksTheChildrenOfAShellToEndAsWell() {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process =
          fixture.start(
              "sh",
              "-c",
              "sh -c 'trap \"echo child; exit 5\" TERM; echo $$ >ready; while :; do sleep 0.1;"
                  + " done' & trap 'wait $!; echo shell $?; exit 7' TERM; wait $!");
      fixture.pidIn("ready");

      fixture.scope.terminate(LONG);

      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Code(7));
      assertThat(fixture.text()).contains("child\nshell 5\n");
    }
  }

  @Test
  void asksADescendantInAnotherSessionToEndAsWell() {
    try (Fixture fixture = new Fixture(directory)) {
      fixture.start(
          "sh",
          "-c",
          "setsid sh -c 'trap \"echo asked >asked; exit\" TERM; echo $$ >ready;"
              + " while :; do sleep 0.1; done' & wait");
      fixture.pidIn("ready");

      fixture.scope.terminate(LONG);

      assertThat(fixture.read(fixture.directory.resolve("asked"))).isEqualTo("asked\n");
    }
  }

  @Test
  void anEarlierEndOvertakesALongGrace() throws InterruptedException {
    try (Fixture fixture = new Fixture(directory)) {
      fixture.start("sh", "-c", "trap '' TERM; echo $$ >ready; while :; do sleep 1; done");
      fixture.pidIn("ready");
      Thread patient = Thread.ofPlatform().start(() -> fixture.scope.terminate(LONG));
      Await.until("asked to end", Fixture.LIMIT, () -> refusesStart(fixture));

      fixture.scope.terminate(Duration.ZERO);

      assertThat(patient.join(Fixture.LIMIT)).isTrue();
      assertThat(fixture.scope.running()).isEmpty();
    }
  }

  @Test
  void anInterruptEndsTheGraceAndNotTheKilling() throws InterruptedException {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process =
          fixture.start("sh", "-c", "trap '' TERM; echo $$ >ready; while :; do sleep 1; done");
      fixture.pidIn("ready");
      Thread.currentThread().interrupt();

      fixture.scope.terminate(LONG);

      assertThat(Thread.interrupted()).isTrue();
      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Signal(9));
    }
  }

  @Test
  void canBeUsedAgainAfterTerminateAndNotAfterClose() {
    try (Fixture fixture = new Fixture(directory)) {
      fixture.start("sleep", "1000");
      fixture.scope.terminate(LONG);
      RankProcess second = fixture.start("true");
      assertThat(Fixture.exit(second)).isEqualTo(new ProcessExit.Code(0));

      fixture.scope.close();

      assertThatThrownBy(() -> fixture.start("true"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(fixture.id);
    }
  }

  @Test
  void onePassOverProcServesManyScopesThatEndTogether() throws InterruptedException {
    try (Fixture fixture = new Fixture(directory)) {
      ProcessScope[] scopes = new ProcessScope[32];
      for (int index = 0; index < scopes.length; index++) {
        scopes[index] = fixture.another(Integer.toString(index));
        assertThat(scopes[index].start(fixture.spec("sleep", "1000")))
            .isInstanceOf(StartResult.Started.class);
      }
      Thread[] enders = new Thread[scopes.length];
      for (int index = 0; index < scopes.length; index++) {
        enders[index] = Thread.ofPlatform().start(scopes[index]::close);
      }
      for (Thread ender : enders) {
        assertThat(ender.join(Fixture.LIMIT)).isTrue();
      }

      assertThat(fixture.supervisor.scanner().passes()).isLessThan(2L * scopes.length);
    }
  }

  private static boolean refusesStart(Fixture fixture) {
    try {
      fixture.start("true");
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }
}
