// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.time.Duration;

/**
 * The trained model of one rank.
 *
 * @param testAccuracy the share of test images recognised, 0 to 1
 * @param took the time from the first step to the last
 */
record TrainingResult(Mlp model, double testAccuracy, Duration took) {}
