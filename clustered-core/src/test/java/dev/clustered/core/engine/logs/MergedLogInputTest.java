// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.LogQuery.Follow;
import dev.clustered.model.ClusterId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The merged view beside a simple reference: each rank's lines, whole, ended and in order. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MergedLogInputTest {

  private static final ClusterId CLUSTER = new ClusterId("cl-1");
  private static final int ROUNDS = 12;
  private static final int BUFFER = 1 << 16;
  private static final Executor WRITERS = command -> Thread.ofVirtual().start(command);

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyRanksLinesAreThereWholeAndInOrder(boolean live) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      List<byte[]> texts = new ArrayList<>();
      for (int ranks = 1 + random.nextInt(9); ranks > 0; ranks--) {
        texts.add(text(random));
      }
      String what = "seed " + seed + " round " + round;
      check(merged(texts, random, live, directory.resolve("" + round)), texts, what);
    }
  }

  /** Empty lines, returns, NUL, bytes of no encoding, and lines around and over the buffer. */
  private static byte[] text(Random random) {
    String letters = "abcdefghijklmnopqrstuvwxyz \r\0\u008a\u00ff";
    StringBuilder text = new StringBuilder();
    int lines = random.nextInt(200);
    for (int line = 0; line < lines; line++) {
      int length =
          switch (random.nextInt(20)) {
            case 0 -> random.nextInt(3 * BUFFER);
            case 1 -> BUFFER - random.nextInt(12);
            case 2, 3, 4 -> 0;
            default -> random.nextInt(200);
          };
      for (int i = 0; i < length; i++) {
        text.append(letters.charAt(random.nextInt(letters.length())));
      }
      text.append(line == lines - 1 && random.nextBoolean() ? "" : "\n");
    }
    return text.toString().getBytes(ISO_8859_1);
  }

  private static byte[] merged(List<byte[]> texts, Random random, boolean live, Path directory)
      throws Exception {
    try (LogStore store = new LogStore(directory)) {
      List<RankLog> logs = store.logs(CLUSTER, 1, texts.size());
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int rank = 0; rank < texts.size(); rank++) {
        RankLog log = logs.get(rank);
        byte[] text = texts.get(rank);
        Random parts = new Random(random.nextLong());
        writers.add(CompletableFuture.runAsync(() -> write(log, text, parts), WRITERS));
      }
      if (!live) {
        writers.forEach(CompletableFuture::join);
      }
      try (InputStream input =
          new MergedLogInput(logs, live ? Follow.UNTIL_END : Follow.NO, OptionalInt.empty())) {
        byte[] read = drain(input, random);
        writers.forEach(CompletableFuture::join);
        return read;
      }
    }
  }

  private static void write(RankLog log, byte[] text, Random random) {
    try {
      for (int at = 0; at < text.length; ) {
        int part = Math.min(text.length - at, 1 + random.nextInt(BUFFER));
        assertThat(log.append(at, new ByteArrayInputStream(text, at, part))).isEqualTo(at + part);
        at += part;
      }
      log.complete();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] drain(InputStream input, Random random) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] buffer = new byte[random.nextBoolean() ? 7 : 70_000];
    int read = input.read(buffer, 0, 1 + random.nextInt(buffer.length));
    while (read >= 0) {
      all.write(buffer, 0, read);
      read = input.read(buffer, 0, 1 + random.nextInt(buffer.length));
    }
    return all.toByteArray();
  }

  private static void check(byte[] merged, List<byte[]> texts, String what) {
    String all = new String(merged, ISO_8859_1);
    assertThat(all.isEmpty() || all.endsWith("\n")).as(what).isTrue();
    List<List<String>> seen = new ArrayList<>();
    texts.forEach(text -> seen.add(new ArrayList<>()));
    for (String line : lines(all)) {
      assertThat(line).as(what).matches("(?s)\\[\\d+] .*");
      int end = line.indexOf("] ");
      seen.get(Integer.parseInt(line.substring(1, end))).add(line.substring(end + 2));
    }
    for (int rank = 0; rank < texts.size(); rank++) {
      List<String> written = lines(new String(texts.get(rank), ISO_8859_1));
      assertThat(seen.get(rank).equals(written)).as("%s rank %d", what, rank).isTrue();
    }
  }

  /** A return is no end of a line. */
  private static List<String> lines(String text) {
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    if (lines.getLast().isEmpty()) {
      lines.removeLast(); // What stands after the last end.
    }
    return lines;
  }
}
