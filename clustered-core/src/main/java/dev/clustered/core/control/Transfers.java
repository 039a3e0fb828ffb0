// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import java.util.concurrent.atomic.LongAdder;

/** Counts what was sent of files. Thread-safe. */
public final class Transfers {

  private final LongAdder requests = new LongAdder();
  private final LongAdder blobs = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  Transfers() {}

  void request() {
    requests.increment();
  }

  void blob(long size) {
    blobs.increment();
    bytes.add(size);
  }

  /** Requests for any number of blobs. */
  public long requests() {
    return requests.sum();
  }

  /** Blobs sent to their end, manifests among them. */
  public long blobs() {
    return blobs.sum();
  }

  /** The bytes of those blobs. */
  public long bytes() {
    return bytes.sum();
  }
}
