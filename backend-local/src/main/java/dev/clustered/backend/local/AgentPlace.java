// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

/** Where the agents of local nodes run. */
public enum AgentPlace {
  /** In the JVM of the engine: fast, and nothing more to start. */
  IN_PROCESS,
  /** Each in a JVM of its own, which can be killed alone, as a machine can. */
  OWN_JVM
}
