// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import java.time.Duration;

/**
 * What one epoch came to. Immutable and thread-safe.
 *
 * @param epoch counted from 1
 * @param loss the mean loss of the training images, each taken before the step it took part in
 * @param accuracy the share of test images recognised after the epoch, 0 to 1
 * @param took the time of this epoch on the rank that reports
 */
public record EpochReport(int epoch, double loss, double accuracy, Duration took) {}
