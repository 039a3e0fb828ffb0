// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import java.util.List;

/**
 * What a plan finds no nodes for twice in the same way. Immutable and thread-safe.
 *
 * @param lifted whose kept nodes a gang of this kind may use, since it ends before
 */
record Kind(
    List<Role> roles,
    Layout layout,
    int spares,
    List<List<Role>> alternatives,
    List<ClusterId> lifted) {

  static Kind of(GangRequest gang, List<ClusterId> lifted) {
    return new Kind(gang.roles(), gang.layout(), gang.spares(), gang.alternatives(), lifted);
  }
}
