// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.time.Duration;

/**
 * The answer to a join. Immutable and thread-safe.
 *
 * @param session the secret of every later request
 * @param poll the longest that a poll is held open
 * @param lease how long the agent runs on without an answer from the engine
 */
public record JoinReply(String session, Duration poll, Duration lease) {

  /** Without the secret. */
  @Override
  public String toString() {
    return "JoinReply[poll=" + poll + ", lease=" + lease + "]";
  }
}
