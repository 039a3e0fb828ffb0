// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** The stable code of an error; each has an anchor of its name in {@code docs/errors.md}. */
public enum ErrorCode {
  /** The specification is impossible or contradictory. */
  INVALID_SPEC(ErrorCategory.USER, Retry.POINTLESS),
  /** No backend of the name asked for is known to the engine. */
  UNKNOWN_BACKEND(ErrorCategory.USER, Retry.POINTLESS),
  /** A setting of the engine or of a backend is unknown or has an unusable value. */
  INVALID_SETTING(ErrorCategory.USER, Retry.POINTLESS),
  /** No backend could ever hold the gang, however long it waits. */
  CANNOT_EVER_FIT(ErrorCategory.CAPACITY, Retry.POINTLESS),
  /** A backend had not enough nodes for the whole launch. */
  NO_CAPACITY(ErrorCategory.CAPACITY, Retry.MAY_HELP),
  /** The cluster was not running within the time limit asked for. */
  READY_TIMEOUT(ErrorCategory.CAPACITY, Retry.MAY_HELP),
  /** A phase of the cluster took longer than it may. */
  PHASE_TIMEOUT(ErrorCategory.BACKEND, Retry.MAY_HELP),
  /** No RDMA fabric could hold the whole gang. */
  FABRIC_UNAVAILABLE(ErrorCategory.CAPACITY, Retry.MAY_HELP),
  /** A backend failed to launch nodes. */
  LAUNCH_FAILED(ErrorCategory.BACKEND, Retry.MAY_HELP),
  /** A node's agent fell silent or its instance ended. */
  NODE_LOST(ErrorCategory.BACKEND, Retry.MAY_HELP),
  /** A rank's executable could not be started; it is not tried again. */
  START_FAILED(ErrorCategory.USER, Retry.POINTLESS),
  /** A node could not make a file, volume or port of the workload ready. */
  PREPARE_FAILED(ErrorCategory.USER, Retry.POINTLESS),
  /** A rank saw another cluster than the engine: wrong size, rank or address. */
  JOIN_MISMATCH(ErrorCategory.INTERNAL, Retry.POINTLESS),
  /** A rank ended with an exit code other than 0 or by a signal. */
  RANK_FAILED(ErrorCategory.USER, Retry.POINTLESS),
  /** The kernel of a node killed a process of a rank because its memory was used up. */
  OUT_OF_MEMORY(ErrorCategory.USER, Retry.POINTLESS),
  /** The ranks did nothing any more, or the heartbeat of one stopped. */
  HUNG(ErrorCategory.USER, Retry.MAY_HELP),
  /** The workload ran up to its time limit. */
  TIME_LIMIT(ErrorCategory.USER, Retry.POINTLESS),
  /** A command was to run beside a rank that does not run. */
  RANK_NOT_RUNNING(ErrorCategory.USER, Retry.MAY_HELP),
  /** A command beside a rank ran for longer, or wrote more, than it may. */
  EXEC_LIMIT(ErrorCategory.USER, Retry.POINTLESS),
  /** The runtime of a node runs no command beside a rank. */
  EXEC_UNSUPPORTED(ErrorCategory.USER, Retry.POINTLESS),
  /** The launch was cancelled, or its cluster was stopped or closed. */
  CANCELLED(ErrorCategory.USER, Retry.POINTLESS),
  /** The engine is closed or closing. */
  ENGINE_CLOSED(ErrorCategory.USER, Retry.POINTLESS),
  /** Another engine has taken over; this one may write no more. */
  ENGINE_DEPOSED(ErrorCategory.INTERNAL, Retry.POINTLESS),
  /** The state store could not read or write. */
  STORE_FAILED(ErrorCategory.BACKEND, Retry.MAY_HELP),
  /** Entries of the journal were asked for that a snapshot has replaced. */
  JOURNAL_COMPACTED(ErrorCategory.INTERNAL, Retry.POINTLESS),
  /** A call to a backend failed or took longer than its limit. */
  BACKEND_FAILED(ErrorCategory.BACKEND, Retry.MAY_HELP),
  /** Something that should be impossible happened inside the library. */
  INTERNAL(ErrorCategory.INTERNAL, Retry.POINTLESS);

  private enum Retry {
    MAY_HELP,
    POINTLESS
  }

  private final ErrorCategory category;
  private final Retry retry;

  ErrorCode(ErrorCategory category, Retry retry) {
    this.category = category;
    this.retry = retry;
  }

  /** Who can do something about it. */
  public ErrorCategory category() {
    return category;
  }

  /** Whether the same request may succeed later without a change. */
  public boolean retryable() {
    return retry == Retry.MAY_HELP;
  }
}
