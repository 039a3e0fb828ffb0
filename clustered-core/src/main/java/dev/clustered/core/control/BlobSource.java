// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/** What the nodes of a cluster may fetch by its digest. Thread-safe. */
public interface BlobSource {

  /** The blob of a SHA-256 in lower-case hex; empty when it is none of this cluster's. */
  Optional<Blob> find(String sha256);

  /** Bytes that are known by their digest. Thread-safe. */
  interface Blob {

    /** How many bytes it has. */
    long size();

    /** Why it cannot be had any more, as a sentence; empty when it can. */
    Optional<String> problem();

    /**
     * Writes all bytes from an offset.
     *
     * @throws IOException also when there are fewer than there were
     */
    void copy(long offset, OutputStream to) throws IOException;
  }
}
