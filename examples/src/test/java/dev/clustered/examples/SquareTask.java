// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples;

import dev.clustered.ClusterContext;
import dev.clustered.ClusterTask;

// region task
/** Squares one of the numbers, the one of this rank. */
public final class SquareTask implements ClusterTask<SquareTask.Numbers, SquareTask.Square> {

  /** What all ranks get. */
  public record Numbers(int first) {}

  /** What each rank gives back. */
  public record Square(int rank, long value) {}

  @Override
  public Square run(ClusterContext context, Numbers input) {
    long number = (long) input.first() + context.rank();
    return new Square(context.rank(), number * number);
  }
}
// endregion
