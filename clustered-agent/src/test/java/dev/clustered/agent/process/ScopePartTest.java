// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.process.AttachedStreams.Input;
import dev.clustered.model.TerminalSize;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A command of a scope that ends with it, or alone. */
@Timeout(60)
class ScopePartTest {

  @TempDir Path directory;

  private static AttachResult.Started start(ScopePart part, ProcessSpec spec) {
    return started(part.start(spec, Input.PIPE, Optional.empty()));
  }

  private static AttachResult.Started started(AttachResult result) {
    return switch (result) {
      case AttachResult.Started started -> started;
      case AttachResult.NotStarted not -> throw new AssertionError(not.failure());
    };
  }

  private static void close(AttachedStreams streams) throws IOException {
    streams.drain();
    streams.input().close();
    streams.output().close();
    streams.error().close();
  }

  private static String line(AttachedStreams streams) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = streams.output().read(); next > '\n'; next = streams.output().read()) {
      line.append((char) next);
    }
    return line.toString();
  }

  @Test
  void endsAloneThoughOneOfItsProcessesLeftItsSessionAndItsParent() throws Exception {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess rank = fixture.start("sleep", "1000");
      ScopePart part = fixture.scope.part("ex-1");
      AttachResult.Started started =
          start(part, fixture.spec("sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & wait"));
      int daemon = Integer.parseInt(line(started.streams()));
      int other = other(fixture);
      part.terminate(Duration.ofSeconds(5));
      assertThat(Fixture.alive(daemon)).isFalse();
      assertThat(Fixture.alive(other)).isTrue();
      assertThat(rank.running()).isTrue();
      assertThat(fixture.scope.running()).extracting(RankProcess::pid).contains(rank.pid(), other);
      close(started.streams());
    }
  }

  private static int other(Fixture fixture) {
    return start(fixture.scope.part("ex-2"), fixture.spec("sleep", "1000")).process().pid();
  }

  @Test
  void endsWithItsScope() throws Exception {
    try (Fixture fixture = new Fixture(directory)) {
      AttachResult.Started started =
          start(fixture.scope.part("ex-1"), fixture.spec("sleep", "1000"));
      fixture.scope.terminate(Duration.ofSeconds(5));
      assertThat(started.process().exit()).isCompletedWithValue(new ProcessExit.Signal(15));
      assertThat(started.streams().output().read()).isEqualTo(-1);
      close(started.streams());
    }
  }

  @Test
  void whatAStrangerHoldsOpenEndsAfterWhatWasWritten() throws Exception {
    try (Fixture fixture = new Fixture(directory)) {
      ScopePart part = fixture.scope.part("ex-1");
      AttachResult.Started started = start(part, fixture.spec("sh", "-c", "printf abc; read a"));
      int pid = started.process().pid();
      // Opens the pipe through /proc, as a debugger could.
      RankProcess stranger =
          fixture.start("sh", "-c", "exec 5>/proc/" + pid + "/fd/1; echo $$ >held; sleep 1000");
      assertThat(fixture.pidIn("held")).isEqualTo(stranger.pid());
      part.terminate(Duration.ofSeconds(5));
      started.streams().drain();
      assertThat(started.streams().output().readAllBytes())
          .isEqualTo("abc".getBytes(StandardCharsets.UTF_8));
      close(started.streams());
      assertThat(stranger.running()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "no-such-program"})
  void leavesNoDescriptorOpen(String program) throws Exception {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess rank = fixture.start("sleep", "1000");
      assertThat(rank.running()).isTrue();
      once(fixture, program, 0);
      int before = descriptors();
      for (int i = 1; i <= 50; i++) {
        once(fixture, program, i);
      }
      assertThat(descriptors()).isLessThan(before + 50);
    }
  }

  private static void once(Fixture fixture, String program, int number) throws IOException {
    for (boolean terminal : new boolean[] {false, true}) {
      ScopePart part = fixture.scope.part("ex-" + number + terminal);
      Optional<TerminalSize> size =
          terminal ? Optional.of(new TerminalSize(80, 24)) : Optional.empty();
      AttachResult result = part.start(fixture.spec(program), Input.PIPE, size);
      if (result instanceof AttachResult.Started started) {
        assertThat(started.streams().output().readAllBytes()).isEmpty();
        assertThat(Fixture.exit(started.process())).isEqualTo(new ProcessExit.Code(0));
        part.terminate(Duration.ZERO);
        close(started.streams());
      } else {
        assertThat(program).isEqualTo("no-such-program");
      }
    }
  }

  private static int descriptors() {
    String[] open = new File("/proc/self/fd").list();
    return open == null ? 0 : open.length;
  }
}
