// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.time.Duration;

/** What an operator decides. */
public record PlanPolicy(Duration idleNodeTime) {}
