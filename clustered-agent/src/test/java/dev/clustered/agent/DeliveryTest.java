// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.agent.protocol.DesiredWork.Step;
import dev.clustered.agent.protocol.Paths.Piece;
import dev.clustered.agent.protocol.TreeEntry;
import dev.clustered.agent.protocol.TreeManifest;
import dev.clustered.agent.protocol.WorkDocument.SentTree;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeliveryTest {

  @TempDir private Path home;

  private final Map<String, byte[]> contents = new HashMap<>();
  private final List<List<Piece>> requests = new ArrayList<>();
  private final Wish wish = new Wish(TestWork.desired(Step.PREPARE, Map.of()));
  private final byte[] large = new byte[3_000_000];
  private final List<String> moves = new ArrayList<>();
  private BlobCache cache;

  /** What happens to an answer on its way. */
  private interface Way {
    byte[] over(int request, byte[] answer);
  }

  @BeforeEach
  void begin() throws IOException {
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31 + i / 977);
    }
    cache = new BlobCache(home.resolve("blobs"), ByteSize.mebibytes(64));
    Files.createDirectory(home.resolve("work"));
  }

  private void moved(long bytes, long of) {
    moves.add(bytes + " of " + of);
  }

  private TreeEntry file(String path, byte[] content) {
    String digest = digest(content);
    contents.put(digest, content);
    return TreeEntry.file(path, 0644, content.length, digest);
  }

  private static String digest(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private SentTree tree(TreeEntry... entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TreeManifest.write(List.of(entries), bytes);
    file("manifest", bytes.toByteArray());
    return new SentTree(digest(bytes.toByteArray()), bytes.size());
  }

  private byte[] answer(List<Piece> pieces) throws IOException {
    requests.add(pieces);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream output = new DataOutputStream(bytes);
    for (Piece piece : pieces) {
      byte[] content = contents.get(piece.sha256());
      if (content == null) {
        output.writeLong(-1);
        output.writeUTF("the file x has changed since the launch was made");
        continue;
      }
      output.writeLong(content.length - piece.offset());
      output.write(content, (int) piece.offset(), content.length - (int) piece.offset());
    }
    return bytes.toByteArray();
  }

  private boolean bring(SentTree tree, Way way) throws WorkFailure, InterruptedException {
    BlobFetch.Source source =
        pieces -> new ByteArrayInputStream(way.over(requests.size(), answer(pieces)));
    return new Delivery(cache, source, wish, this::moved).bring(tree, home.resolve("work"));
  }

  private Path work(String path) {
    return home.resolve("work").resolve(path);
  }

  @Test
  void aLostConnectionGoesOnWhereItEnded() throws Exception {
    SentTree tree = tree(file("large", large));
    assertThat(
            bring(
                tree,
                (request, answer) -> request == 1 ? Arrays.copyOf(answer, 1_000_000) : answer))
        .isTrue();
    assertThat(work("large")).hasBinaryContent(large);
    assertThat(requests).hasSize(3);
    assertThat(requests.getLast().getFirst().offset()).isEqualTo(1_000_000 - 8);
  }

  @Test
  void howFarItIsIsToldAtItsBeginAndAtItsEndAndNotOfTheManifest() throws Exception {
    SentTree tree = tree(file("large", large));
    assertThat(bring(tree, (request, answer) -> answer)).isTrue();
    assertThat(moves).first().isEqualTo("0 of 3000000");
    assertThat(moves).last().isEqualTo("3000000 of 3000000");
  }

  @Test
  void contentThatIsChangedOnTheWayIsNotTakenAndAskedForAgain() throws Exception {
    SentTree tree = tree(file("large", large));
    assertThat(bring(tree, (request, answer) -> request == 1 ? flipped(answer) : answer)).isTrue();
    assertThat(work("large")).hasBinaryContent(large);
    assertThat(requests.getLast().getFirst().offset()).isZero();
  }

  @Test
  void contentThatIsAlwaysAnotherFailsByName() throws Exception {
    SentTree tree = tree(file("large", large));
    assertThatThrownBy(
            () -> bring(tree, (request, answer) -> request > 0 ? flipped(answer) : answer))
        .isInstanceOfSatisfying(
            WorkFailure.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PREPARE_FAILED))
        .hasMessageContainingAll("the file large", "another content", "3 times");
    assertThat(cache.has(digest(large))).isFalse();
    assertOnlyTheManifestIsKept();
  }

  private static byte[] flipped(byte[] answer) {
    byte[] flipped = answer.clone();
    flipped[flipped.length / 2] ^= 1;
    return flipped;
  }

  private void assertOnlyTheManifestIsKept() throws IOException {
    try (var kept = Files.list(home.resolve("blobs"))) {
      assertThat(kept).hasSize(1);
    }
  }

  @Test
  void whatTheEngineRefusesFailsWithItsWords() throws Exception {
    SentTree tree = tree(file("large", large));
    contents.remove(digest(large));
    assertThatThrownBy(() -> bring(tree, (request, answer) -> answer))
        .isInstanceOf(WorkFailure.class)
        .hasMessageContaining("the file x has changed");
  }

  @Test
  void whatCannotFitIsRefusedWithNumbersBeforeAnythingIsAskedFor() throws Exception {
    TreeEntry huge = TreeEntry.file("huge", 0644, 1L << 60, digest(large));
    SentTree tree = tree(huge);
    assertThatThrownBy(() -> bring(tree, (request, answer) -> answer))
        .isInstanceOfSatisfying(
            WorkFailure.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PREPARE_FAILED))
        .hasMessageContainingAll(Long.toString(1L << 61), "bytes free of", home.toString());
    assertThat(requests).as("the manifest").hasSize(1);
  }

  @Test
  void anEndIsNotHeldUpByAConnectionOnWhichNothingComes() throws Exception {
    SentTree tree = tree(file("large", large));
    CompletableFuture<Void> asked = new CompletableFuture<>();
    BlobFetch.Source source =
        pieces -> {
          if (requests.isEmpty()) {
            return new ByteArrayInputStream(answer(pieces));
          }
          asked.complete(null);
          return new Silent();
        };
    CompletableFuture<Boolean> brought = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                brought.complete(
                    new Delivery(cache, source, wish, this::moved)
                        .bring(tree, home.resolve("work")));
              } catch (WorkFailure | InterruptedException e) {
                brought.completeExceptionally(e);
              }
            });
    asked.join();
    wish.drop();
    assertThat(brought.join()).isFalse();
    assertOnlyTheManifestIsKept();
  }

  /** A stream that ends, with an error, only when another thread closes it. */
  private static final class Silent extends InputStream {
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    @Override
    public int read() throws IOException {
      closed.join();
      throw new IOException("closed");
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return read();
    }

    @Override
    public void close() {
      closed.complete(null);
    }
  }

  @Test
  void noEntryIsWrittenOutsideOrThroughALink() throws Exception {
    byte[] content = "x".getBytes(StandardCharsets.UTF_8);
    for (String path : List.of("../x", "/tmp/x", "link/x", "a/../x", "none/x")) {
      SentTree tree = tree(TreeEntry.link("link", home.toString()), file(path, content));
      assertThatThrownBy(() -> bring(tree, (request, answer) -> answer))
          .as(path)
          .isInstanceOf(WorkFailure.class)
          .hasMessageContaining(path);
      Trees.delete(work("link"));
    }
    assertThat(home.resolve("x")).doesNotExist();
  }

  @Test
  void moreThanTheCacheHoldsArrivesAndTheOldestGoesAfterwards() throws Exception {
    cache = new BlobCache(home.resolve("blobs"), new ByteSize(4_000_000));
    byte[] second = large.clone();
    second[0]++;
    assertThat(bring(tree(file("a", large), file("b", second)), (n, answer) -> answer)).isTrue();
    assertThat(work("a")).hasBinaryContent(large);
    assertThat(work("b")).hasBinaryContent(second);
    assertThat(List.of(cache.has(digest(large)), cache.has(digest(second)))).contains(false, true);
  }
}
