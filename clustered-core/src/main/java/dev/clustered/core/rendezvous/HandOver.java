// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.Preamble;
import dev.clustered.model.Alias;
import dev.clustered.model.ClusterSpec;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All that a rank gets so that it finds the others: what the contract gives to every rank, what its
 * launcher needs, and the names of other systems that were asked for. Immutable and thread-safe.
 *
 * @param contract the variables in a fixed order
 * @param preamble what stands before the command
 */
public record HandOver(Map<String, String> contract, Preamble preamble) {

  /** Before the ranks are known. */
  public static final HandOver NONE = new HandOver(Collections.emptyMap(), Preamble.NONE);

  public HandOver {
    contract = Collections.unmodifiableMap(new LinkedHashMap<>(contract));
  }

  /** How many ports in a row, the user's first, are to be kept free on rank 0. */
  public static int ports(ClusterSpec spec) {
    return Handing.of(spec).ports();
  }

  /**
   * The hand-over of one rank.
   *
   * @param user the user's environment; of it only counts what the contract or the launcher gives a
   *     default for
   */
  public static HandOver of(ClusterSpec spec, Place place, Map<String, String> user) {
    Handing handing = Handing.of(spec);
    Map<String, String> variables = Contract.variables(place, user);
    variables.putAll(handing.variables(place, user));
    for (Alias alias : spec.aliases()) {
      variables.putAll(Aliases.variables(alias, place));
    }
    return new HandOver(variables, handing.preamble(place, user));
  }
}
