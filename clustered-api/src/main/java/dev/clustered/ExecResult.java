// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ProcessEnd;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What came of a command that ran beside a rank. Immutable and thread-safe. */
public final class ExecResult {

  private final ProcessEnd end;
  private final Optional<String> endedBecause;
  private final byte[] output;
  private final byte[] error;

  private ExecResult(ProcessEnd end, Optional<String> endedBecause, byte[] output, byte[] error) {
    this.end = end;
    this.endedBecause = endedBecause;
    this.output = output.clone();
    this.error = error.clone();
  }

  /**
   * A result, for engines.
   *
   * @param endedBecause why it was ended, in words; empty when it ended by itself
   */
  public static ExecResult of(
      ProcessEnd end, Optional<String> endedBecause, byte[] output, byte[] error) {
    return new ExecResult(end, endedBecause, output, error);
  }

  /**
   * How it ended: with an exit code, by a signal, not started at all (127 when there is no such
   * program, 126 when it may not be executed), or unknown, when its node was lost.
   */
  public ProcessEnd end() {
    return end;
  }

  /** Whether it ended by itself with code 0. */
  public boolean success() {
    return end.success();
  }

  /** Why it was ended, such as the end of its rank; empty when it ended by itself. */
  public Optional<String> endedBecause() {
    return endedBecause;
  }

  /** Every byte that it wrote to standard output; a copy. */
  public byte[] standardOutput() {
    return output.clone();
  }

  /** Every byte that it wrote to standard error; a copy. */
  public byte[] standardError() {
    return error.clone();
  }

  /** Standard output as text; bytes that are not UTF-8 become replacement characters. */
  public String outputText() {
    return new String(output, StandardCharsets.UTF_8);
  }

  /** Standard error as text; bytes that are not UTF-8 become replacement characters. */
  public String errorText() {
    return new String(error, StandardCharsets.UTF_8);
  }

  /** The end and the sizes: what it wrote may hold secrets. */
  @Override
  public String toString() {
    return "ExecResult[%s%s, %d bytes of output, %d of errors]"
        .formatted(
            end,
            endedBecause.map(why -> " because " + why).orElse(""),
            output.length,
            error.length);
  }
}
