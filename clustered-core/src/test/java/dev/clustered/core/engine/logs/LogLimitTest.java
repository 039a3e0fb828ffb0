// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.clustered.LogQuery.Follow;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log that grows over its limit keeps its beginning and its end, and says what is gone. */
class LogLimitTest {

  private static final ClusterId CLUSTER = new ClusterId("cl-1");
  private static final OptionalInt ALL = OptionalInt.empty();
  private static final int LIMIT = 1 << 20;
  private static final int PIECE = LIMIT / 16;

  @TempDir private Path directory;

  private final StringBuilder written = new StringBuilder();

  private LogStore store() {
    LogStore store = new LogStore(directory);
    store.limit(CLUSTER, new ByteSize(LIMIT));
    return store;
  }

  private void write(RankLog log, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    int before = written.length();
    written.append(text);
    assertThat(log.append(before, new ByteArrayInputStream(bytes))).isEqualTo(written.length());
  }

  private void writeLines(RankLog log, int bytes) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int n = 0; text.length() < bytes; n++) {
      text.append("line ").append(written.length()).append(' ').append(n).append('\n');
    }
    write(log, text.toString());
  }

  private static String read(InputStream input) throws IOException {
    return new String(input.readAllBytes(), StandardCharsets.US_ASCII);
  }

  private long onDisk() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      long bytes = 0;
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  @Test
  void aLogBelowItsLimitIsWhole() throws IOException {
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      writeLines(log, LIMIT - PIECE);
      assertThat(read(new RankLogInput(log, Follow.NO, ALL))).isEqualTo(written.toString());
    }
  }

  @Test
  void theBeginningAndTheEndSurviveAndALineSaysHowMuchIsGone() throws IOException {
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      for (int i = 0; i < 40; i++) {
        writeLines(log, LIMIT / 7);
        assertThat(onDisk()).isLessThanOrEqualTo(LIMIT + PIECE);
      }
      String kept = read(new RankLogInput(log, Follow.NO, ALL));
      int marker = kept.indexOf("\n[");
      String head = kept.substring(0, marker);
      String line = kept.substring(marker + 1, kept.indexOf('\n', marker + 1));
      String tail = kept.substring(marker + 1 + line.length() + 1);
      assertThat(written.toString()).startsWith(head).endsWith(tail);
      assertThat(head).hasSize(LIMIT / 2);
      assertThat(tail.length()).isGreaterThanOrEqualTo(LIMIT / 2 - PIECE);
      int gone = written.length() - head.length() - tail.length();
      assertThat(line).isEqualTo("[%,d bytes were dropped here]".formatted(gone));
      assertThat(log.tail()).isNotEmpty().satisfies(end -> assertThat(kept).endsWith(end));
      assertThat(read(new RankLogInput(log, Follow.NO, OptionalInt.of(2))).lines()).hasSize(2);
      String merged = read(new MergedLogInput(List.of(log), Follow.NO, ALL));
      assertThat(merged).contains("\n[0] " + line + "\n");
    }
  }

  @Test
  void aReaderWhosePlaceIsDroppedGoesOnAfterALineAboutIt() throws IOException {
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      writeLines(log, LIMIT / 2 + PIECE + PIECE / 2);
      try (RankLogInput reader = new RankLogInput(log, Follow.UNTIL_END, ALL)) {
        byte[] first = reader.readNBytes(LIMIT / 2 + PIECE);
        assertThat(written.toString()).startsWith(new String(first, StandardCharsets.US_ASCII));
        writeLines(log, 2 * LIMIT);
        log.complete();
        String rest = read(reader);
        int end = rest.indexOf("here]\n") + "here]\n".length();
        assertThat(rest.substring(0, end)).contains(" bytes were dropped here]\n");
        assertThat(written.toString()).endsWith(rest.substring(end));
      }
    }
  }

  @Test
  void whateverIsWrittenInWhateverPartsABeginningAndAnEndOfItAreThere() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      for (int i = 0; i < 60; i++) {
        writeLines(log, 1 + random.nextInt(2 * PIECE));
        String kept = read(new RankLogInput(log, Follow.NO, ALL));
        int from = kept.indexOf(" bytes were dropped here]\n");
        String tail = from < 0 ? kept : kept.substring(kept.indexOf('\n', from) + 1);
        assertThat(written.toString().endsWith(tail)).as("seed %d part %d", seed, i).isTrue();
      }
    }
  }

  private static long lines(RankLog log, int last) throws IOException {
    try (RankLogInput input = new RankLogInput(log, Follow.NO, OptionalInt.of(last))) {
      return read(input).lines().count();
    }
  }

  @Test
  void aTailHasExactlyItsLinesAsFarAsTheEndIsKept() throws IOException {
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      writeLines(log, 3 * LIMIT + 12_345);
      String all = read(new RankLogInput(log, Follow.NO, ALL));
      int kept = (int) all.substring(all.indexOf("here]\n") + "here]\n".length()).lines().count();
      for (int wanted = 1; wanted < kept; wanted += 97) {
        assertThat(lines(log, wanted)).isEqualTo(wanted);
      }
      assertThat(lines(log, kept)).isEqualTo(kept);
      assertThat(lines(log, kept + 1)).as("what stands before was dropped").isEqualTo(kept);
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aReaderWhoseEndIsDroppedEndsWithALineAboutIt() throws IOException {
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      writeLines(log, LIMIT / 2 + 2 * PIECE);
      int end = written.length();
      try (RankLogInput raw = new RankLogInput(log, Follow.NO, ALL);
          MergedLogInput merged = new MergedLogInput(List.of(log), Follow.NO, ALL)) {
        assertThat(raw.readNBytes(LIMIT / 2)).hasSize(LIMIT / 2);
        assertThat(merged.readNBytes(LIMIT / 2)).hasSize(LIMIT / 2);
        writeLines(log, 3 * LIMIT);
        String gone = "[%,d bytes were dropped here]\n".formatted(end - LIMIT / 2);
        assertThat(read(raw)).endsWith(gone).hasSizeLessThan(2 * gone.length());
        assertThat(read(merged)).endsWith("bytes were dropped here]\n");
      }
    }
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aTailThatIsOpenedWhileTheLogGrowsOverItsLimitNeitherFailsNorHasMoreLines() throws Exception {
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      writeLines(log, LIMIT);
      CompletableFuture<Void> flood =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < 200; i++) {
                    writeLines(log, LIMIT / 4);
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      int opened = 0;
      while (!flood.isDone() || opened == 0) {
        // A line about what is dropped, and the end of the line before it, may come besides.
        assertThat(lines(log, 1 + opened % 20_000)).isLessThanOrEqualTo(1 + opened % 20_000 + 2);
        opened += 1_999;
      }
      assertThat(flood).succeedsWithin(Duration.ofSeconds(60));
      assertThat(lines(log, 20)).isEqualTo(20);
    }
  }

  @Test
  void aReaderThatFindsAPieceGoneCanStillReadTheOneThatItHadOpen() throws IOException {
    Path file = directory.resolve("piece-gone");
    LogFiles files = new LogFiles(file, LIMIT);
    long end = files.open();
    ByteBuffer bytes = ByteBuffer.allocate(LIMIT / 2 + PIECE);
    while (bytes.hasRemaining()) {
      end += files.write(end, bytes);
    }
    files.close();
    try (LogFiles.Reader reader = files.reader()) {
      assertThat(reader.read(0, ByteBuffer.allocate(10))).isEqualTo(10);
      // As the writer does between the question for what is kept and the opening of the file.
      Files.delete(file.resolveSibling("piece-gone.0"));
      assertThatIOException()
          .isThrownBy(() -> reader.read(LIMIT / 2, ByteBuffer.allocate(10)))
          .isInstanceOf(NoSuchFileException.class);
      assertThat(reader.read(10, ByteBuffer.allocate(10))).isEqualTo(10);
    }
  }

  @Test
  void aLogThatIsOpenedAgainGoesOnWhereItWasHoweverMuchWasDropped() throws IOException {
    for (int bytes : new int[] {10, LIMIT / 2, LIMIT, 5 * LIMIT}) {
      Path file = directory.resolve("again-" + bytes).resolve("rank-0.log");
      RankLog before = new RankLog(file, LIMIT);
      before.append(0, new ByteArrayInputStream(new byte[bytes]));
      before.close();
      RankLog after = new RankLog(file, LIMIT);
      assertThat(after.stored()).as("%d bytes", bytes).isEqualTo(bytes);
      byte[] more = "\nmore\n".getBytes(StandardCharsets.US_ASCII);
      assertThat(after.append(bytes, new ByteArrayInputStream(more))).isEqualTo(bytes + 6);
      assertThat(after.tail(6)).isEqualTo("more\n");
      after.close();
    }
  }

  @Test
  void aReaderThatWasClosedBeforeItsFirstByteOpensNoFile() throws IOException {
    try (LogStore store = store()) {
      RankLog log = store.log(CLUSTER, 1, 0);
      writeLines(log, PIECE);
      RankLogInput reader = new RankLogInput(log, Follow.UNTIL_END, ALL);
      reader.close();
      assertThatIOException().isThrownBy(reader::read).isInstanceOf(ClosedChannelException.class);
    }
  }
}
