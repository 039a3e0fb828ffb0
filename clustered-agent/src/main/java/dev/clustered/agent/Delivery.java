// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.TreeEntry;
import dev.clustered.agent.protocol.TreeManifest;
import dev.clustered.agent.protocol.WorkDocument.SentTree;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Brings a sent tree into a working directory: the manifest, what is missing, then copies. */
final class Delivery {

  private final BlobCache cache;
  private final BlobFetch.Source source;
  private final Wish wish;
  private final Progress.Listener listener;

  /**
   * A delivery.
   *
   * @param listener hears how much of the contents has come
   */
  Delivery(BlobCache cache, BlobFetch.Source source, Wish wish, Progress.Listener listener) {
    this.cache = cache;
    this.source = source;
    this.wish = wish;
    this.listener = listener;
  }

  /** Whether the tree was made before the work was to end. */
  boolean bring(SentTree tree, Path root) throws WorkFailure, InterruptedException {
    TreeEntry manifest =
        TreeEntry.file("(list of files)", 0, tree.manifestBytes(), tree.manifest());
    BlobCache.Use use = use(List.of(tree.manifest()), root);
    try {
      return fetch(Map.of(tree.manifest(), manifest), (bytes, of) -> {})
          && fill(read(manifest), root);
    } finally {
      use.close();
    }
  }

  private List<TreeEntry> read(TreeEntry manifest) throws WorkFailure {
    try (InputStream input =
        new BufferedInputStream(Files.newInputStream(cache.path(manifest.sha256())))) {
      return TreeManifest.read(input);
    } catch (IOException e) {
      throw Disk.failure("read the list of files", cache.path(""), manifest.size(), e);
    }
  }

  private boolean fill(List<TreeEntry> entries, Path root)
      throws WorkFailure, InterruptedException {
    Map<String, TreeEntry> contents = new LinkedHashMap<>();
    entries.stream()
        .filter(entry -> entry.size() > 0)
        .forEach(entry -> contents.putIfAbsent(entry.sha256(), entry));
    BlobCache.Use use = use(contents.keySet(), root);
    try {
      long copies = entries.stream().mapToLong(TreeEntry::size).sum();
      contents.keySet().removeIf(cache::has);
      makeRoom(contents, copies, root);
      return fetch(contents, listener) && new TreeWriter(cache, wish, root).write(entries);
    } finally {
      use.close();
    }
  }

  private void makeRoom(Map<String, TreeEntry> missing, long copies, Path root) throws WorkFailure {
    long needed = copies + missing.values().stream().mapToLong(TreeEntry::size).sum();
    if (!Disk.has(root, needed)) {
      cache.clear();
      Disk.require(root, needed);
    }
  }

  private boolean fetch(Map<String, TreeEntry> wanted, Progress.Listener heard)
      throws WorkFailure, InterruptedException {
    Map<String, TreeEntry> missing = new LinkedHashMap<>(wanted);
    missing.keySet().removeIf(cache::has);
    long bytes = missing.values().stream().mapToLong(TreeEntry::size).sum();
    Progress progress = new Progress(heard, bytes, System::nanoTime);
    try (BlobFetch fetch = new BlobFetch(cache, source, wish, progress)) {
      return fetch.fetch(missing.values());
    }
  }

  private BlobCache.Use use(Collection<String> digests, Path near) throws WorkFailure {
    try {
      return cache.use(digests);
    } catch (IOException e) {
      throw Disk.failure("keep the files sent", near, 0, e);
    }
  }
}
