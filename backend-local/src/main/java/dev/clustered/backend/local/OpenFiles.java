// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.LaunchRequest;
import java.lang.management.ManagementFactory;

/**
 * Whether this process may open as many files as the nodes of a launch need. A JVM that has reached
 * its limit fails anywhere, loading a class for example, so such a launch is refused before anything
 * of it starts. Stateless.
 */
final class OpenFiles {

  /** Connections at both ends, log and process of a node with its agent: 9 were counted. */
  private static final int OF_A_NODE = 12;

  /** The engine's end of the connections, the log, and what watches the agent: 7 were counted. */
  private static final int OF_A_NODE_ELSEWHERE = 9;

  /** For the program itself. */
  private static final int RESERVE = 64;

  private OpenFiles() {}

  static void requireRoom(LaunchRequest request, AgentPlace agents) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long open = system.getOpenFileDescriptorCount();
      long limit = system.getMaxFileDescriptorCount();
      int each = agents == AgentPlace.IN_PROCESS ? OF_A_NODE : OF_A_NODE_ELSEWHERE;
      requireRoom(request, open, (long) each * request.nodes().size() + RESERVE, limit);
    }
  }

  static void requireRoom(LaunchRequest request, long open, long needed, long limit) {
    if (limit >= 0 && open + needed > limit) {
      throw new ClusterException(
          ErrorCode.LAUNCH_FAILED,
          "backend local cannot launch %s: its %d nodes need about %,d open files, and this process may have %,d, of which %,d are open; raise the limit (ulimit -n) or ask for fewer nodes"
              .formatted(request.id(), request.nodes().size(), needed, limit, open));
    }
  }
}
