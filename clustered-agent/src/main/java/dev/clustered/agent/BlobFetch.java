// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.Paths;
import dev.clustered.agent.protocol.Paths.Piece;
import dev.clustered.agent.protocol.TreeEntry;
import dev.clustered.model.ErrorCode;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches contents into the cache, many small ones with one request. A connection that is lost goes
 * on where it ended; nothing counts before its digest is right. One use, not thread-safe.
 */
final class BlobFetch implements AutoCloseable {

  private static final Logger LOGGER = LoggerFactory.getLogger(BlobFetch.class);

  /** A request is for no more than this, unless for one content alone. */
  private static final long REQUEST_BYTES = 64L << 20;

  private static final int BUFFER = 128 * 1024;
  private static final int MOST_TRIES = 3;

  /** Where contents come from. */
  interface Source {
    InputStream open(List<Piece> pieces) throws IOException, InterruptedException;
  }

  private final BlobCache cache;
  private final Source source;
  private final Wish wish;
  private final Progress progress;
  private final byte[] buffer = new byte[BUFFER];
  private final Map<String, Integer> wrong = new HashMap<>();
  private @Nullable Partial partial;

  BlobFetch(BlobCache cache, Source source, Wish wish, Progress progress) {
    this.cache = cache;
    this.source = source;
    this.wish = wish;
    this.progress = progress;
  }

  /** Whether all came before the work was to end. */
  boolean fetch(Collection<TreeEntry> missing) throws WorkFailure, InterruptedException {
    Deque<TreeEntry> left = new ArrayDeque<>(missing);
    Backoff backoff = new Backoff();
    while (!left.isEmpty() && wish.ending().isEmpty()) {
      int before = left.size();
      try {
        request(left);
        backoff.reset();
      } catch (IOException e) {
        LOGGER.debug("Files not fetched whole left={}", left.size(), e);
        if (left.size() < before) {
          backoff.reset();
        }
        wish.await(() -> wish.ending().isPresent(), backoff.next());
      }
    }
    return wish.ending().isEmpty();
  }

  private void request(Deque<TreeEntry> left)
      throws IOException, WorkFailure, InterruptedException {
    List<TreeEntry> batch = batch(left);
    List<Piece> pieces = new ArrayList<>();
    for (TreeEntry entry : batch) {
      pieces.add(new Piece(entry.sha256(), received(entry)));
    }
    try (InputStream body = source.open(pieces);
        StallGuard guard = StallGuard.watch(body, wish)) {
      DataInputStream input = new DataInputStream(body);
      for (TreeEntry entry : batch) {
        one(entry, input, guard);
        left.removeFirst();
      }
    }
  }

  private static List<TreeEntry> batch(Deque<TreeEntry> left) {
    List<TreeEntry> batch = new ArrayList<>();
    long bytes = 0;
    for (TreeEntry entry : left) {
      bytes += entry.size();
      if (!batch.isEmpty() && (bytes > REQUEST_BYTES || batch.size() == Paths.Wanted.MOST)) {
        return batch;
      }
      batch.add(entry);
    }
    return batch;
  }

  private long received(TreeEntry entry) {
    return partial != null && partial.of(entry) ? partial.received() : 0;
  }

  private void one(TreeEntry entry, DataInputStream input, StallGuard guard)
      throws IOException, WorkFailure {
    Partial part = partial(entry);
    long size = input.readLong();
    if (size < 0) {
      throw new WorkFailure(ErrorCode.PREPARE_FAILED, input.readUTF());
    }
    if (size != entry.size() - part.received()) {
      throw new IOException("%d bytes came of %s".formatted(size, entry));
    }
    while (part.received() < entry.size()) {
      int most = (int) Math.min(buffer.length, entry.size() - part.received());
      int read = input.read(buffer, 0, most);
      if (read < 0) {
        throw new IOException("the answer ended early");
      }
      part.add(buffer, read);
      guard.moved();
      progress.add(read);
    }
    finish(entry, part);
  }

  private Partial partial(TreeEntry entry) throws WorkFailure {
    if (partial == null || !partial.of(entry)) {
      close();
      partial = Partial.begin(entry, cache.part());
    }
    return partial;
  }

  private void finish(TreeEntry entry, Partial part) throws IOException, WorkFailure {
    partial = null;
    if (part.right()) {
      part.keep(cache);
      return;
    }
    part.close();
    progress.add(-entry.size());
    int tries = wrong.merge(entry.sha256(), 1, Integer::sum);
    String what =
        "the file %s came with another content than it had when the launch was made"
            .formatted(entry.path());
    if (tries >= MOST_TRIES) {
      throw new WorkFailure(
          ErrorCode.PREPARE_FAILED,
          what + ", " + tries + " times; leave it alone until every rank runs, and launch again");
    }
    throw new IOException(what);
  }

  /** Deletes what did not come to its end. */
  @Override
  public void close() {
    if (partial != null) {
      partial.close();
      partial = null;
    }
  }
}
