// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stacks of many processes, some of which say nothing. A shell under another name plays them. */
@Timeout(60)
class StackDumpTest {

  private static final Duration LIMIT = Duration.ofSeconds(3);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path directory;
  private Fixture fixture;

  @BeforeEach
  void open() {
    fixture = new Fixture(directory, Optional.empty());
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /** A program that is the shell, under the name of another. */
  private Path shell(String name) throws Exception {
    return Files.copy(Path.of("/bin/sh").toRealPath(), directory.resolve(name));
  }

  private List<ProcessEntry> members(int atLeast) {
    Await.until("members", PATIENCE, () -> entries().size() >= atLeast);
    return entries();
  }

  private List<ProcessEntry> entries() {
    return ProcessTable.read().entries().values().stream()
        .filter(entry -> fixture.scope.id().equals(entry.scope()) && !entry.zombie())
        .toList();
  }

  /** Starts a script for each of some processes that it starts in turn, and waits for all. */
  private List<ProcessEntry> start(int count, Map<String, String> environment, String each)
      throws Exception {
    String all = "for i in $(seq %d); do %s & done; echo up; wait".formatted(count, each);
    RankProcess unused = fixture.start(environment, "sh", "-c", all);
    Await.until("all are started", PATIENCE, () -> fixture.text().contains("up\n"));
    return members(count + 1);
  }

  private List<ProcessEntry> awaitPrograms(int count, String name) {
    Await.until(count + " of " + name, PATIENCE, () -> programs(name).size() == count);
    return programs(name);
  }

  private List<ProcessEntry> programs(String name) {
    return entries().stream().filter(entry -> ProcessView.executable(entry).equals(name)).toList();
  }

  private String dump(Duration limit, List<ProcessEntry> entries) throws Exception {
    new StackDump(fixture.scope.id(), fixture.output(), limit).write("they hang", entries);
    return fixture.text();
  }

  @Test
  void everyOneOfManySilentJvmsIsAskedAndNamed() throws Exception {
    String silent = shell("java") + " -c \"trap '' QUIT; echo ready; exec 3<>fifo-$i; read x <&3\"";
    List<ProcessEntry> entries =
        start(8, Map.of("PATH", "/usr/bin:/bin"), "mkfifo fifo-$i; " + silent);
    Await.until("all ignore it", PATIENCE, () -> count(fixture.text(), "ready") == 8);
    String text = dump(LIMIT, entries);
    assertThat(count(text, " was asked for its stacks and wrote nothing yet")).isEqualTo(8);
    assertThat(entries).allSatisfy(entry -> assertThat(text).contains("process " + entry.pid()));
    assertThat(text).contains("waits in: ").endsWith("=== clustered: end of the stacks\n");
  }

  @Test
  void oneThatPrintsElsewhereIsNotWaitedFor() throws Exception {
    String program = "trap 'echo asked' QUIT; exec >other; echo up; while sleep 0.1; do :; done";
    RankProcess unused =
        fixture.start(Map.of("PATH", "/usr/bin:/bin"), shell("java").toString(), "-c", program);
    Path other = fixture.directory.resolve("other");
    Await.until("it is up", PATIENCE, () -> fixture.read(other).startsWith("up"));
    List<ProcessEntry> entries = entries();
    assertThat(dump(LIMIT, entries)).contains("prints its stacks elsewhere, as its output");
    Await.until("it was asked", PATIENCE, () -> fixture.read(other).contains("asked"));
  }

  @Test
  void oneForWhichThereIsNoTimeIsNamedWithTheReason() throws Exception {
    String silent = shell("java") + " -c \"trap '' QUIT; exec 3<>f; read x <&3\"";
    List<ProcessEntry> started = start(1, Map.of("PATH", "/usr/bin:/bin"), "mkfifo f; " + silent);
    assertThat(started).hasSizeGreaterThan(1);
    ProcessEntry java = awaitPrograms(1, "java").getFirst();
    assertThat(dump(Duration.ZERO, entries()))
        .contains("process " + java.pid() + " (java) is left out: 0.0 s were over");
  }

  @Test
  void helpersThatNeverEndTakeHalfOfTheTimeTogetherAndNotEach() throws Exception {
    Path spy = directory.resolve("py-spy");
    Files.writeString(spy, "#!/bin/sh\necho \"spying $3\"\nexec sleep 1000\n");
    Files.setPosixFilePermissions(spy, PosixFilePermissions.fromString("rwx------"));
    String silent = shell("python3") + " -c \"exec 3<>fifo-$i; read x <&3\"";
    List<ProcessEntry> entries =
        start(4, Map.of("PATH", directory + ":/usr/bin:/bin"), "mkfifo fifo-$i; " + silent);
    List<ProcessEntry> python = awaitPrograms(4, "python3");
    String text = dump(LIMIT, entries());
    assertThat(count(text, "spying ")).isEqualTo(4);
    assertThat(count(text, "system call: "))
        .isGreaterThanOrEqualTo(entries.size())
        .isGreaterThan(python.size());
    assertThat(text).doesNotContain("left out");
    try (Stream<Path> files = Files.list(fixture.directory)) {
      assertThat(files).noneMatch(file -> file.toString().contains(".py-spy-"));
    }
  }

  @Test
  void ofMoreProcessesThanAnybodyReadsEachIsNamed() throws Exception {
    List<ProcessEntry> entries = start(70, Map.of("PATH", "/usr/bin:/bin"), "sleep 1000");
    assertThat(entries).hasSize(71);
    String text = dump(LIMIT, entries);
    assertThat(count(text, "is left out: 64 processes are the most")).isEqualTo(7);
    assertThat(entries).allSatisfy(entry -> assertThat(text).contains("process " + entry.pid()));
  }

  private static int count(String text, String part) {
    return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
  }
}
