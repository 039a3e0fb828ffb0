// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

/**
 * Why a process was not started. Immutable.
 *
 * @param reason what kind of failure it is
 * @param message what failed, where, and what to do
 */
public record SpawnFailure(Reason reason, String message) {

  /** The kinds of failure, each with the exit code that a shell reports for it. */
  public enum Reason {
    /** No such executable, or the interpreter it names is missing. */
    MISSING(127),
    /** A file that may not be executed, is of no known format, or a directory. */
    NOT_EXECUTABLE(126),
    /** Arguments or environment beyond what the kernel hands over. */
    TOO_LARGE(126),
    /** Whatever else the system refused: working directory, output file, process limit. */
    SYSTEM(126);

    private final int exitCode;

    Reason(int exitCode) {
      this.exitCode = exitCode;
    }

    /** The exit code that a shell reports in this case. */
    public int exitCode() {
      return exitCode;
    }
  }
}
