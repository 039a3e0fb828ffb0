// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;
import java.util.stream.Collectors;

/** A specification with every problem it has, not only the first. Immutable and thread-safe. */
public final class InvalidSpecException extends ClusterException {

  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /**
   * One problem of a specification.
   *
   * @param field the builder method or setting
   * @param message what is wrong with it, with the value received and what would be right
   */
  public record Problem(String field, String message) {}

  /** At least one problem. */
  public InvalidSpecException(List<Problem> problems) {
    super(
        ErrorCode.INVALID_SPEC,
        problems.stream()
            .map(p -> p.field() + ": " + p.message())
            .collect(Collectors.joining("; ", "the cluster cannot be specified so: ", "")));
    this.problems = List.copyOf(problems);
  }

  /** Every problem, in the order of the fields. */
  public List<Problem> problems() {
    return problems;
  }
}
