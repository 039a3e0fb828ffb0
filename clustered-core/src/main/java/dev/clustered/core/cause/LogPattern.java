// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import java.util.List;

/**
 * Words by which a program says that a peer had gone before it failed itself.
 *
 * @param parts what one line holds, in this order
 * @param speaker who writes such a line
 * @param meaning what it means, as the end of a sentence
 * @param source the project, and the file of it, that writes the line
 */
record LogPattern(List<String> parts, Speaker speaker, String meaning, String source) {

  /** Who wrote a line. */
  enum Speaker {
    /** The program that does the work. */
    PROGRAM,
    /** A launcher around it, whose word about others counts less than that about its own child. */
    LAUNCHER
  }

  private static final String ABORTED = "a collective was aborted";
  private static final String TIMED_OUT = "a collective had waited for a peer in vain";
  private static final String CLOSED = "a peer had closed its connection";
  private static final String DIED = "another task had died";

  /** Words before the number of the rank that began it. */
  private static final String BY_RANK = " invoked on rank ";

  /** Those that are known. */
  static final List<LogPattern> ALL =
      List.of(
          program(
              "NCCL communicator was aborted",
              ABORTED,
              "PyTorch, torch/csrc/distributed/c10d/NCCLUtils.hpp"),
          program(
              "Watchdog caught collective operation timeout",
              TIMED_OUT,
              "PyTorch, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp"),
          program(
              "Some NCCL operations have failed or timed out",
              ABORTED,
              "PyTorch, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp"),
          program(
              "remote process exited or there was a network error",
              CLOSED,
              "NCCL, text of ncclRemoteError in src/init.cc"),
          program("ncclRemoteError", CLOSED, "NCCL, src/nccl.h.in"),
          program("Connection closed by peer", CLOSED, "Gloo, gloo/transport/tcp/pair.cc"),
          new LogPattern(
              List.of("gloo", "Connection reset by peer"),
              Speaker.PROGRAM,
              CLOSED,
              "Gloo, gloo/transport/tcp/pair.cc"),
          new LogPattern(
              List.of("ProcessGroup", "Connection reset by peer"),
              Speaker.PROGRAM,
              CLOSED,
              "PyTorch, torch/csrc/distributed/c10d"),
          program(
              "Application timeout caused pair closure",
              TIMED_OUT,
              "Gloo, gloo/transport/tcp/unbound_buffer.cc"),
          program(
              "failed to pass monitoredBarrier in",
              TIMED_OUT,
              "PyTorch, torch/csrc/distributed/c10d/ProcessGroupGloo.cpp"),
          program(
              "Connection was likely closed. Did the remote server shutdown or crash?",
              CLOSED,
              "PyTorch 2.6 and later, torch/csrc/distributed/c10d/Utils.hpp"),
          program(
              "Terminating process because the JAX distributed service detected",
              DIED,
              "OpenXLA, xla/pjrt/distributed/client.h"),
          program(
              "Polled an error from coordination service",
              DIED,
              "OpenXLA, coordination_service_agent.cc"),
          program(
              "heartbeat timeout. This indicates that the remote task",
              DIED,
              "TensorFlow, coordination_service.cc"),
          launcher(
              "MPI_ABORT was" + BY_RANK,
              "another rank had aborted the job",
              "Open MPI, ompi/mpi/help-mpi-api.txt"),
          launcher(
              "RendezvousClosedError",
              "others had closed the rendezvous",
              "PyTorch, torch/distributed/elastic/rendezvous/api.py"),
          launcher(
              "RendezvousConnectionError",
              "the rendezvous was gone",
              "PyTorch, torch/distributed/elastic/rendezvous/api.py"),
          new LogPattern(
              List.of("SignalException: Process ", " got signal: "),
              Speaker.LAUNCHER,
              "its launcher was asked to end",
              "PyTorch, torch/distributed/elastic/multiprocessing/api.py"));

  private static LogPattern program(String words, String meaning, String source) {
    return new LogPattern(List.of(words), Speaker.PROGRAM, meaning, source);
  }

  private static LogPattern launcher(String words, String meaning, String source) {
    return new LogPattern(List.of(words), Speaker.LAUNCHER, meaning, source);
  }

  /**
   * Whether a line holds all parts in their order, and does not name the rank itself after them.
   */
  boolean in(String line, int rank) {
    int from = 0;
    for (String part : parts) {
      int found = line.indexOf(part, from);
      if (found < 0) {
        return false;
      }
      from = found + part.length();
    }
    return !(parts.getLast().endsWith(BY_RANK) && line.startsWith(rank + " ", from));
  }

  /** The words, as a reader would look for them. */
  String words() {
    return String.join("…", parts);
  }
}
