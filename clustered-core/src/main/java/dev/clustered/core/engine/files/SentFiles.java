// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.files;

import dev.clustered.agent.protocol.WorkDocument.SentTree;
import dev.clustered.core.control.BlobSource;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;

/** What one cluster's nodes may fetch: the manifest, and what is in it. Immutable. */
public final class SentFiles implements BlobSource {

  /** Nothing. */
  public static final SentFiles NONE = new SentFiles(Optional.empty(), new byte[0], Map.of());

  private final Optional<SentTree> tree;
  private final byte[] manifest;
  private final Map<String, LocalFile> files;

  private SentFiles(Optional<SentTree> tree, byte[] manifest, Map<String, LocalFile> files) {
    this.tree = tree;
    this.manifest = manifest;
    this.files = files;
  }

  static SentFiles of(String digest, byte[] manifest, Map<String, LocalFile> files) {
    return new SentFiles(Optional.of(new SentTree(digest, manifest.length)), manifest, files);
  }

  /** The tree as nodes are told of it. */
  public Optional<SentTree> tree() {
    return tree;
  }

  @Override
  public Optional<Blob> find(String sha256) {
    if (tree.filter(known -> known.manifest().equals(sha256)).isPresent()) {
      return Optional.of(new Bytes(manifest));
    }
    return Optional.ofNullable(files.get(sha256));
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Bytes(byte[] content) implements Blob {
    @Override
    public long size() {
      return content.length;
    }

    @Override
    public Optional<String> problem() {
      return Optional.empty();
    }

    @Override
    public void copy(long offset, OutputStream to) throws IOException {
      to.write(content, (int) offset, content.length - (int) offset);
    }
  }
}
