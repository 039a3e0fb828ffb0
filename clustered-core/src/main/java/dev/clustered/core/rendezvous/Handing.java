// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.Preamble;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Launcher;
import java.util.Collections;
import java.util.Map;

/**
 * What one launcher is handed beside the contract; {@code docs/guide/launchers.md} describes it to
 * users. Stateless and thread-safe.
 */
interface Handing {

  /** Variables of one rank in a fixed order. */
  default Map<String, String> variables(Place place, Map<String, String> user) {
    return Collections.emptyMap();
  }

  /** How the command of one rank is started. */
  default Preamble preamble(Place place, Map<String, String> user) {
    return Preamble.NONE;
  }

  /** How many ports in a row are to be kept free on rank 0; all but the first are ours. */
  default int ports() {
    return 1;
  }

  /** What the launcher of a specification needs. */
  static Handing of(ClusterSpec spec) {
    return switch (spec.launcher()) {
      case Launcher.Plain plain -> new Handing() {};
      case Launcher.Torchrun torchrun when torchrun.elastic() -> new ElasticTorchrun();
      case Launcher.Torchrun torchrun -> new StaticTorchrun();
      case Launcher.Accelerate accelerate -> new Accelerate();
      case Launcher.DeepSpeed deepSpeed -> new DeepSpeed();
      case Launcher.Jax jax -> new Jax();
      case Launcher.Direct direct -> new Direct(direct.processes());
      case Launcher.Mpi mpi -> new Mpi(mpi.processes());
      case Launcher.Ray ray -> new Ray();
    };
  }

  /** The processes that a rank's launcher starts, by the user's word or one for each GPU. */
  static int processes(Member member, Map<String, String> user) {
    String own = user.get(ContractNames.PET_NPROC_PER_NODE);
    return own == null ? member.processes() : Integer.parseInt(own);
  }
}
