// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What stands before the command of one rank, so that a launcher starts it. Immutable and
 * thread-safe.
 *
 * @param arguments the launcher and its options; the command's own arguments follow
 * @param files texts by name that the agent writes for them, found at {@link #path}
 */
public record Preamble(List<String> arguments, Map<String, String> files) {

  /** Nothing: the command is started itself. */
  public static final Preamble NONE = new Preamble(List.of(), Collections.emptyMap());

  public Preamble {
    arguments = List.copyOf(arguments);
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
  }

  /** Where the rank finds a file: a path relative to its working directory. */
  public static String path(String name) {
    return "../files/" + name;
  }
}
