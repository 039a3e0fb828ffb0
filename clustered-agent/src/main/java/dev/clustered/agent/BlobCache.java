// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.model.ByteSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contents that a node has been sent, by their SHA-256, so that none is sent twice. It goes
 * with the node. What was used longest ago is deleted when there is more than the limit; what a
 * work is being made of stays. Thread-safe.
 */
final class BlobCache {

  private static final Logger LOGGER = LoggerFactory.getLogger(BlobCache.class);

  /** How much a node keeps when no work needs it. */
  static final ByteSize LARGEST = ByteSize.gibibytes(32);

  private final Path directory;
  private final long limit;

  /** Sizes by digest, the one used longest ago first. */
  private final LinkedHashMap<String, Long> sizes = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<String, Integer> users = new HashMap<>();
  private boolean open;
  private long total;
  private long parts;

  BlobCache(Path directory, ByteSize limit) {
    this.directory = directory;
    this.limit = limit.bytes();
  }

  /** Keeps contents, there or yet to come, until the use is closed. */
  synchronized Use use(Collection<String> digests) throws IOException {
    if (!open) {
      // An agent before this one may have left half of something.
      Trees.delete(directory);
      Trees.create(directory);
      open = true;
    }
    List<String> kept = List.copyOf(digests);
    kept.forEach(digest -> users.merge(digest, 1, Integer::sum));
    return () -> release(kept);
  }

  /** An intention that ends. */
  interface Use {
    void close();
  }

  /** Whether it is there; it then counts as used now. */
  synchronized boolean has(String digest) {
    return sizes.get(digest) != null;
  }

  Path path(String digest) {
    return directory.resolve(digest);
  }

  /** Where something can be written before it counts. */
  synchronized Path part() {
    parts++;
    return directory.resolve("part-" + parts);
  }

  /** Takes a complete file over. */
  synchronized void put(String digest, Path complete, long size) throws IOException {
    Files.move(complete, path(digest), StandardCopyOption.ATOMIC_MOVE);
    if (sizes.put(digest, size) == null) {
      total += size;
    }
  }

  /** Deletes all that nobody uses. */
  synchronized void clear() {
    shrink(0);
  }

  private synchronized void release(List<String> digests) {
    digests.forEach(digest -> users.computeIfPresent(digest, (same, n) -> n == 1 ? null : n - 1));
    shrink(limit);
  }

  private void shrink(long most) {
    Iterator<Map.Entry<String, Long>> oldestFirst = sizes.entrySet().iterator();
    while (total > most && oldestFirst.hasNext()) {
      Map.Entry<String, Long> oldest = oldestFirst.next();
      if (!users.containsKey(oldest.getKey())) {
        delete(oldest.getKey());
        total -= oldest.getValue();
        oldestFirst.remove();
      }
    }
  }

  private void delete(String digest) {
    try {
      Files.deleteIfExists(path(digest));
    } catch (IOException e) {
      LOGGER.debug("Content not deleted digest={}", digest, e);
    }
  }
}
