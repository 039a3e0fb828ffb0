// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import java.time.Duration;

/**
 * What one process gives back. Immutable and thread-safe.
 *
 * @param processRank its number among the processes of all nodes, which torch calls its rank
 * @param testAccuracy the share of test images its model recognises, 0 to 1
 * @param took how long it trained
 * @param fingerprint a text that two processes share only if their models are equal bit for bit
 */
public record ProcessResult(
    int processRank, double testAccuracy, Duration took, String fingerprint) {}
