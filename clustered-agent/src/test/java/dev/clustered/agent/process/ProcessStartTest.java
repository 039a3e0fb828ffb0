// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.process.SpawnFailure.Reason;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStartTest {
  @TempDir Path directory;

  @Test
  void handsOverTheEnvironmentByteForByte() {
    Map<String, String> environment = new LinkedHashMap<>(Fixture.PATH);
    environment.put("EQUALS", "a=b==c");
    environment.put("QUOTES", "'single' \"double\" `back` \\");
    environment.put("DOLLAR", "$HOME ${HOME} $(id)");
    environment.put("LINES", "one\ntwo\n\tthree\r\n");
    environment.put("EMOJI", "\uD83D\uDE80 \u00e4\u00f6\u00fc \u4f60\u597d");
    environment.put("EMPTY", "");
    environment.put("odd.name-with space", "kept");
    environment.put("LARGE", "x".repeat(100_000));
    try (Fixture fixture = new Fixture(directory)) {
      String received = fixture.run(environment, "cat", "/proc/self/environ");

      StringBuilder sent = new StringBuilder();
      environment.put("CLUSTERED_SCOPE", fixture.id);
      environment.forEach((name, value) -> sent.append(name + "=" + value + '\0'));
      assertThat(received).isEqualTo(sent.toString());
    }
  }

  @Test
  void handsOverArgumentsByteForByte() {
    String[] command = {"printf", "%s|", "", "a b", "'\"$`\\", "\uD83D\uDE80", "new\nline", "*"};
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.run(Fixture.PATH, command))
          .isEqualTo("|a b|'\"$`\\|\uD83D\uDE80|new\nline|*|");
    }
  }

  @Test
  void letsNoOpenFileOfTheHostThrough() throws IOException {
    Path file = directory.resolve("open");
    try (Fixture fixture = new Fixture(directory);
        ServerSocket server = new ServerSocket(0);
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        ServerSocketChannel channel = ServerSocketChannel.open();
        Selector selector = Selector.open();
        FileChannel opened =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(
              List.of(client.isConnected(), channel.isOpen(), selector.isOpen(), opened.isOpen()))
          .containsOnly(true);

      // ls itself opens the listing as the next free descriptor.
      assertThat(fixture.run(Fixture.PATH, "ls", "/proc/self/fd").lines())
          .containsExactly("0", "1", "2", "3");
    }
  }

  @Test
  void closesOpenFilesWithoutHelpOfTheSystemLibraryToo() throws IOException {
    Path file = directory.resolve("fds");
    try (Fixture fixture = new Fixture(directory);
        Pipe pipe = new Pipe();
        ServerSocket server = new ServerSocket(0)) {
      assertThat(server.isBound()).isTrue();
      List<byte[]> argv =
          CStrings.utf8(List.of("sh", "-c", "ls /proc/self/fd >" + file + "; echo done"));
      Spawn.Outcome outcome =
          new Spawn(Optional.empty())
              .start(
                  Path.of("/bin/sh"),
                  argv,
                  CStrings.environment(Fixture.PATH),
                  fixture.directory,
                  new Spawn.Streams(-1, pipe.writeEnd()));
      assertThat(Wait.untilEnded(outcome.pid())).isEqualTo(new ProcessExit.Code(0));
      assertThat(Wait.reap(outcome.pid())).isTrue();

      assertThat(Files.readString(file).lines()).containsExactly("0", "1", "2", "3");
    }
  }

  @Test
  void readsNothingFromStandardInputAndLeadsASession() {
    try (Fixture fixture = new Fixture(directory)) {
      RankProcess process = fixture.start("sh", "-c", "wc -c; cut -d' ' -f5,6 /proc/$$/stat");

      assertThat(Fixture.exit(process)).isEqualTo(new ProcessExit.Code(0));
      assertThat(fixture.text()).isEqualTo("0\n" + process.pid() + " " + process.pid() + "\n");
    }
  }

  @Test
  void blocksAndIgnoresNoSignal() {
    try (Fixture fixture = new Fixture(directory)) {
      String text = fixture.run(Fixture.PATH, "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status");

      assertThat(text.lines())
          .hasSize(2)
          .allSatisfy(line -> assertThat(standardSignals(line)).as(line).isZero());
    }
  }

  @Test
  void appendsBothStreamsToOneFileForTheOwnerOnly() throws IOException {
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.run(Fixture.PATH, "sh", "-c", "echo out; echo err >&2; pwd"))
          .isEqualTo("out\nerr\n" + fixture.directory + "\n");
      assertThat(Files.getPosixFilePermissions(fixture.output()))
          .isEqualTo(Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
    }
  }

  @Test
  void reportsAMissingExecutable() {
    assertRefused(Reason.MISSING, 127, "no-such-program");
    assertRefused(Reason.MISSING, 127, "./no-such-program");
    assertRefused(Reason.MISSING, 127, "");
  }

  @Test
  void reportsAFileThatMayNotBeExecuted() throws IOException {
    Path file = Files.writeString(directory.resolve("plain"), "echo never");
    assertRefused(Reason.NOT_EXECUTABLE, 126, file.toString());
    assertRefused(Reason.NOT_EXECUTABLE, 126, directory.toString());
  }

  @Test
  void reportsAProgramForAnotherKindOfMachine() throws IOException {
    Path file = script("\u007fELF\u0000\u0000\n");
    assertRefused(Reason.NOT_EXECUTABLE, 126, file.toString());
  }

  @Test
  void reportsAMissingInterpreter() throws IOException {
    Path file = script("#!/no/such/interpreter\n");
    assertRefused(Reason.MISSING, 127, file.toString());
  }

  @Test
  void reportsAMissingWorkingDirectoryAsSuch() {
    try (Fixture fixture = new Fixture(directory)) {
      Path missing = directory.resolve("missing");
      StartResult result =
          fixture.scope.start(
              new ProcessSpec(
                  List.of("true"), Fixture.PATH, missing, directory.resolve("out"), directory));

      assertThat(result)
          .isInstanceOfSatisfying(
              StartResult.NotStarted.class,
              refused -> {
                assertThat(refused.failure().reason()).isEqualTo(Reason.SYSTEM);
                assertThat(refused.failure().message()).contains(missing.toString());
              });
    }
  }

  @Test
  void looksInTheWorkingDirectoryForNamesWithASlash() throws IOException {
    try (Fixture fixture = new Fixture(directory)) {
      Path file = script("#!/bin/sh\necho from $0\n");
      Files.move(file, fixture.directory.resolve("tool"));

      assertThat(fixture.run(Fixture.PATH, "./tool"))
          .isEqualTo("from " + fixture.directory.resolve("./tool") + "\n");
    }
  }

  @Test
  void runsAScriptWithoutInterpreterLineByTheShell() throws IOException {
    Path file = script("echo \"$0|$1|$2\"\n");
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.run(Fixture.PATH, file.toString(), "a b", "c"))
          .isEqualTo(file + "|a b|c\n");
    }
  }

  /** The C library keeps signals 32 and 33 to itself. */
  private static long standardSignals(String line) {
    return Long.parseUnsignedLong(line.substring(line.indexOf('\t') + 1), 16) & 0x7fff_ffffL;
  }

  private Path script(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("script"), text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  private void assertRefused(Reason reason, int exitCode, String executable) {
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.tryStart(Fixture.PATH, List.of(executable)))
          .isInstanceOfSatisfying(
              StartResult.NotStarted.class,
              refused -> {
                assertThat(refused.failure().reason()).isEqualTo(reason);
                assertThat(refused.failure().reason().exitCode()).isEqualTo(exitCode);
                assertThat(refused.failure().message()).contains(executable);
              });
      assertThat(fixture.scope.running()).isEmpty();
    }
  }
}
