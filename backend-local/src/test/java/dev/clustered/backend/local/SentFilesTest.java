// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.LONG;
import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.PendingCluster;
import dev.clustered.core.control.Transfers;
import dev.clustered.core.engine.Engine;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.SentDirectory;
import dev.clustered.model.Volume;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A directory and files of this machine, sent to real agents. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class SentFilesTest {

  /** Kind, permissions, size, link target and path of everything but the root, in order. */
  private static final String LISTING =
      "find . -mindepth 1 -printf '%y %m %l %P\\0' | LC_ALL=C sort -z | tr '\\0' '\\n';"
          + " find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum -z | tr '\\0' '\\n'";

  @TempDir private Path home;

  private static ClusterEngine keeping() {
    return on(LocalBackend.builder().factory()).idleNodeTime(LONG).open();
  }

  private static Transfers transfers(ClusterEngine engine) {
    return ((Engine) engine).transfers();
  }

  private static String output(ClusterEngine engine, ClusterSpec spec) throws Exception {
    try (Cluster cluster = engine.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      return exit.ranks().getFirst().logTail();
    }
  }

  private static String here(Path directory, String line) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", line).directory(directory.toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return output;
  }

  private Path write(String path, String content, String mode) throws IOException {
    Path file = home.resolve("tree").resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private Path tree() {
    return home.resolve("tree");
  }

  private void oddTree() throws IOException {
    write("a file with spaces", "1", "rw-------");
    write("new\nline", "2", "rwxr-xr-x");
    write("größe 🙂", "3", "r--r--r--");
    write("n".repeat(255), "4", "rw-r--r--");
    write("d/".repeat(200) + "deep", "5", "rw-r-----");
    write("empty file", "", "rw-r--r--");
    Files.createDirectories(tree().resolve("empty directory"));
    Path closed = write("closed/inside", "6", "rw-r--r--").getParent();
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
    Files.createSymbolicLink(tree().resolve("relative"), Path.of("d/d/../d"));
    Files.createSymbolicLink(tree().resolve("dangling"), Path.of("no where"));
    Files.createSymbolicLink(tree().resolve("absolute"), Path.of("/etc/hostname"));
    Files.createSymbolicLink(tree().resolve("outside"), Path.of("../../.."));
  }

  @Test
  void namesLinksPermissionsAndEmptyDirectoriesArriveAsTheyAre() throws Exception {
    oddTree();
    String expected = here(tree(), LISTING);
    assertThat(expected.lines().count()).isGreaterThan(210);
    // Its log's tail is too short for the whole listing.
    ClusterSpec spec = shell(2, "(" + LISTING + ") | sha256sum").directory(tree()).build();
    try (ClusterEngine engine = keeping()) {
      assertThat(output(engine, spec)).isEqualTo(here(tree(), "(" + LISTING + ") | sha256sum"));
    }
  }

  @Test
  void theBitsBeyondThePermissionsAreDropped() throws Exception {
    Path file = write("tool", "#!/bin/sh", "rwxr-xr-x");
    Files.setAttribute(file, "unix:mode", 0104755);
    try (ClusterEngine engine = keeping()) {
      ClusterSpec spec = shell(1, "stat -c %a tool").directory(tree()).build();
      assertThat(output(engine, spec)).isEqualTo("755\n");
    }
  }

  @Test
  void aKeptNodeIsSentOnlyWhatItHasNot() throws Exception {
    for (int i = 0; i < 2_000; i++) {
      write("d" + i % 7 + "/f" + i, "content " + i, "rw-r--r--");
    }
    ClusterSpec spec = shell(1, "cat d*/* | wc -c; rm -r d1").directory(tree()).build();
    try (ClusterEngine engine = keeping()) {
      String first = output(engine, spec);
      Transfers sent = transfers(engine);
      assertThat(sent.blobs()).isEqualTo(2_001);
      assertThat(sent.requests()).isEqualTo(2);
      assertThat(output(engine, spec)).isEqualTo(first);
      assertThat(sent.blobs()).as("nothing again").isEqualTo(2_001);
      assertThat(sent.requests()).isEqualTo(2);
      write("d3/f3", "changed", "rw-r--r--");
      assertThat(output(engine, spec)).isNotEqualTo(first);
      assertThat(sent.blobs()).as("a manifest and a file").isEqualTo(2_003);
    }
  }

  @Test
  void whatARankWritesIsNeitherSeenByTheNextAttemptNorSentAgain() throws Exception {
    write("data", "as sent\n", "rw-r--r--");
    ClusterSpec spec =
        shell(1, "cat data; echo broken > data; test $CLUSTERED_ATTEMPT = 2")
            .directory(tree())
            .restart(RestartPolicy.upTo(1).withPause(Duration.ofMillis(10), Duration.ofSeconds(1)))
            .build();
    try (ClusterEngine engine = keeping()) {
      assertThat(output(engine, spec)).isEqualTo("as sent\n");
      assertThat(transfers(engine).blobs()).isEqualTo(2);
    }
    assertThat(tree().resolve("data")).hasContent("as sent");
  }

  @Test
  void aLargeFileArrivesWholeAlsoUnderAnotherName() throws Exception {
    byte[] content = new byte[64 << 20];
    long seed = System.nanoTime();
    System.out.println("seed: " + seed);
    new Random(seed).nextBytes(content);
    Path file = Files.write(home.resolve("large"), content);
    ClusterSpec spec = shell(2, "cat in/here | sha256sum").file("in/here", file).build();
    try (ClusterEngine engine = keeping()) {
      assertThat(output(engine, spec)).isEqualTo(here(home, "sha256sum < large"));
      assertThat(transfers(engine).bytes())
          .isBetween(2L * content.length, 2L * content.length + 999);
    }
  }

  @Test
  void listenersHearHowMuchOfTheFilesEachRankHasReceived() throws Exception {
    Path file = Files.write(home.resolve("weights"), new byte[64 << 20]);
    ClusterSpec spec = shell(2, "wc -c < weights").file("weights", file).build();
    Events events = new Events();
    try (Cluster cluster =
        Clusters.launch(spec).withBackend("local").withListener(events).await()) {
      assertThat(cluster.join().success()).isTrue();
    }
    for (int rank = 0; rank < 2; rank++) {
      int own = rank;
      List<ClusterEvent.FilesReceived> heard =
          events.of(ClusterEvent.FilesReceived.class).stream()
              .filter(files -> files.rank() == own)
              .toList();
      assertThat(heard).isNotEmpty().allMatch(files -> files.wanted().bytes() == 64 << 20);
      assertThat(heard).extracting(files -> files.received().bytes()).isSorted();
    }
  }

  @Test
  void aFileThatChangesBeforeItIsSentFailsTheLaunchByName() throws Exception {
    Path file = write("train.py", "first", "rw-r--r--");
    try (ClusterEngine engine =
        on(LocalBackend.builder().bootTime(Duration.ofMillis(500)).factory()).open()) {
      PendingCluster pending = engine.launch(shell(1, "true").directory(tree()).build()).start();
      Files.writeString(file, "another");
      assertThatThrownBy(() -> pending.ready().join())
          .cause()
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PREPARE_FAILED))
          .hasMessageContainingAll(file.toString(), "has changed since the launch", "5 bytes");
    }
  }

  @Test
  void patternsLeaveOutByNameEverywhereAndByPath() throws Exception {
    write("keep/x.py", "", "rw-r--r--");
    write("keep/__pycache__/x.pyc", "", "rw-r--r--");
    write("data/raw/1", "", "rw-r--r--");
    write("raw/2", "", "rw-r--r--");
    Files.createDirectories(tree().resolve(".git/objects"));
    SentDirectory sent =
        SentDirectory.of(tree()).withExcludes("__pycache__", "*.log", ".git", "data/raw");
    ClusterSpec spec = shell(1, "find . -type f | sort").directory(sent).build();
    try (ClusterEngine engine = keeping()) {
      assertThat(output(engine, spec)).isEqualTo("./keep/x.py\n./raw/2\n");
    }
  }

  @Test
  void everythingThatCannotBeSentIsToldAtOnce() throws Exception {
    write("d/taken", "", "rw-r--r--");
    write("mounted/x", "", "rw-r--r--");
    Files.createSymbolicLink(tree().resolve("link"), Path.of("/tmp"));
    assertThat(new ProcessBuilder("mkfifo", tree().resolve("pipe").toString()).start().waitFor())
        .isZero();
    here(tree(), "printf x > \"$(printf 'bad\\377name')\"");
    ClusterSpec spec =
        shell(1, "true")
            .directory(tree())
            .file("gone", home.resolve("nowhere"))
            .file("a directory", tree())
            .file("d/taken", new byte[0])
            .file("link/through", new byte[0])
            .volume(new Volume("mounted", "/tmp"))
            .build();
    try (ClusterEngine engine = keeping()) {
      assertThatThrownBy(() -> engine.launch(spec).start())
          .isInstanceOfSatisfying(
              InvalidSpecException.class, e -> assertThat(e.problems()).hasSize(7))
          .hasMessageContainingAll(
              "pipe",
              "FIFO",
              "nowhere",
              "use directory",
              "d/taken",
              "through link",
              "bad",
              "UTF-8");
      assertThat(engine.pool()).isEmpty();
    }
  }

  @Test
  void aDirectoryThatIsNotThereOrNoneIsRefusedByName() throws Exception {
    Path file = Files.writeString(home.resolve("file"), "");
    try (ClusterEngine engine = keeping()) {
      for (Path path : new Path[] {home.resolve("missing"), file}) {
        assertThatThrownBy(() -> engine.launch(shell(1, "true").directory(path).build()).start())
            .isInstanceOf(InvalidSpecException.class)
            .hasMessageContainingAll("directory", path.toString());
      }
    }
  }

  @Test
  void aStopWhileALargeFileIsOnItsWayEndsAtOnceAndLeavesNothing() throws Exception {
    Path sparse = home.resolve("sparse");
    here(home, "truncate -s 1G sparse");
    try (ClusterEngine engine = keeping()) {
      PendingCluster pending = engine.launch(shell(1, "true").file("big", sparse).build()).start();
      Eventually.within(PATIENCE)
          .passes(() -> assertThat(transfers(engine).requests()).isGreaterThan(1));
      pending.cancel();
      assertThatThrownBy(() -> pending.ready().join())
          .hasRootCauseInstanceOf(ClusterException.class);
      assertThat(transfers(engine).bytes()).isLessThan(1L << 30);
      assertThat(output(engine, shell(1, "ls -A").build())).isEmpty();
    }
  }
}
