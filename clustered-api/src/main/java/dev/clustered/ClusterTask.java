// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

/**
 * A class of the host program that runs on every rank, in a JVM of its own. It needs a public
 * constructor without parameters; one instance serves one rank.
 *
 * @param <I> its input, the same on every rank: a type that Jackson reads
 * @param <O> its result: a type that Jackson writes
 */
@FunctionalInterface
public interface ClusterTask<I, O> {

  /**
   * Does the work of this rank.
   *
   * @param input the value given in the specification
   * @throws Exception to end the rank as failed, with exit code 1 and the stack trace in its log
   */
  O run(ClusterContext context, I input) throws Exception;
}
