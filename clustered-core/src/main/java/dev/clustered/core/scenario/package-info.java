// SPDX-License-Identifier: Apache-2.0

/**
 * Scenario files: a pool, gangs and a policy as JSON that a person can write, and what the planner
 * is expected to do with them, now and after what happens next.
 *
 * <p>{@link dev.clustered.core.scenario.PlanCommand} is the program behind {@code mvn -Pplan}. The
 * format stands in {@code docs/guide/scenarios.md}. Reading a file gives a {@code Scenario}: a
 * {@code World} as it is at first, and steps. What is wrong in it, such as a name that nobody has,
 * is refused then, with its place, its value and what to do, so that nothing is planned for it. A
 * step changes the world, plans, and compares the plan with what is expected; what was planned is
 * carried out before the next one.
 */
@NullMarked
package dev.clustered.core.scenario;

import org.jspecify.annotations.NullMarked;
