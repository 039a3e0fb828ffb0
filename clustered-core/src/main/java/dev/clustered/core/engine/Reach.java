// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import java.util.List;

/**
 * What the engine does at its backends. Every call returns at once; what comes of it comes back as
 * a message. Each may be repeated, after a start of the engine for example, and does nothing twice.
 */
interface Reach {

  /** Asks every backend for its offers. */
  void offers(long question);

  /** Asks a backend to launch what was decided. */
  void launch(Fact.LaunchDecided decided);

  /** Gives up a launch that is under way; its answer still comes. */
  void abandon(LaunchId launch);

  /** Gives nodes of one backend back, again and again until the backend says that they are gone. */
  void terminate(String backend, List<String> instances, List<NodeId> nodes);

  /** Ends instances that the engine does not hold, again and again until they are gone. */
  void terminateOrphans(String backend, List<String> instances);

  /** Asks every backend for all instances that carry the engine's label. */
  void list();

  /** What runs beside ranks of a lost node is not known any more. */
  void lost(NodeId node, String why);

  /** Asks every backend what it has noticed. */
  void notices();
}
