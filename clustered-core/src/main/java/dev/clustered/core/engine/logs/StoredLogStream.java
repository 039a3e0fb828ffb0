// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import dev.clustered.LogStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** A stream over stored logs. */
public final class StoredLogStream implements LogStream {

  private final InputStream input;

  /** Over bytes that are closed with it. */
  public StoredLogStream(InputStream input) {
    this.input = input;
  }

  @Override
  public InputStream bytes() {
    return input;
  }

  @Override
  public Stream<String> lines() {
    return new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8)).lines();
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
