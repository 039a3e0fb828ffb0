// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

/** What became of a command with attached streams. Immutable. */
public sealed interface AttachResult {

  /** The process runs, or has run already. */
  record Started(RankProcess process, AttachedStreams streams) implements AttachResult {}

  /** There is no process, and nothing is left of the attempt. */
  record NotStarted(SpawnFailure failure) implements AttachResult {}
}
