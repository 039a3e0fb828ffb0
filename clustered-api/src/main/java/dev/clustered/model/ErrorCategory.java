// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** Who can do something about an error. */
public enum ErrorCategory {
  /** The caller: the request or the workload is wrong. */
  USER,
  /** Nobody at once: there is not enough capacity. */
  CAPACITY,
  /** The backend or a node: something outside this library failed. */
  BACKEND,
  /** The maintainers of this library. */
  INTERNAL
}
