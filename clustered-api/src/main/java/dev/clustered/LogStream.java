// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import java.io.IOException;
import java.io.InputStream;
import java.util.stream.Stream;

/** What ranks wrote. Not thread-safe, but {@link #close} may be called from any thread. */
public interface LogStream extends AutoCloseable {

  /** The bytes: of one rank as written; of all ranks, whole lines with {@code "[rank] "} before. */
  InputStream bytes();

  /**
   * The same as lines of text; bytes that are not UTF-8 become replacement characters. Reads
   * lazily; a failure to read is an {@link java.io.UncheckedIOException}.
   */
  Stream<String> lines();

  /** Ends reading; a blocked reader returns. */
  @Override
  void close() throws IOException;
}
