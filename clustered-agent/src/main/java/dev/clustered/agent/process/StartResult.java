// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

/** What became of a start: a running process, or the reason why there is none. Immutable. */
public sealed interface StartResult {

  /** The process runs, or has run already. */
  record Started(RankProcess process) implements StartResult {}

  /** There is no process, and nothing is left of the attempt. */
  record NotStarted(SpawnFailure failure) implements StartResult {}
}
