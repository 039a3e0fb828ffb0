// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.Preamble;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * One {@code mpirun} of Open MPI on rank 0, whose daemons start by our own remote script. The names
 * that begin with {@code OMPI} are those of its fourth version, those with {@code PRTE} of its
 * fifth.
 */
final class Mpi implements Handing {

  private static final String HOSTFILE = "hostfile";

  private final OptionalInt processes;

  Mpi(OptionalInt processes) {
    this.processes = processes;
  }

  @Override
  public int ports() {
    return 2;
  }

  @Override
  public Map<String, String> variables(Place place, Map<String, String> user) {
    Map<String, String> variables = new LinkedHashMap<>();
    processes.ifPresent(
        each -> variables.put(ContractNames.PET_NPROC_PER_NODE, Integer.toString(each)));
    String remote = "/bin/sh " + Preamble.path(Following.REMOTE);
    variables.put("OMPI_MCA_plm_rsh_agent", remote);
    variables.put("PRTE_MCA_plm_ssh_agent", remote);
    // Only rank 0 has a way to the other nodes.
    variables.put("OMPI_MCA_plm_rsh_no_tree_spawn", "1");
    variables.put("PRTE_MCA_plm_ssh_no_tree_spawn", "1");
    Map<String, String> defaults = new LinkedHashMap<>();
    // An agent often is the superuser, and so are its ranks.
    defaults.put("OMPI_ALLOW_RUN_AS_ROOT", "1");
    defaults.put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    defaults.put("PRTE_ALLOW_RUN_AS_ROOT", "1");
    defaults.put("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    if (place.oneMachine() && place.size() > 1) {
      // Nodes of one machine would take one another's shared memory for their own.
      defaults.put("OMPI_MCA_btl", "self,tcp");
    }
    defaults.keySet().removeAll(user.keySet());
    variables.putAll(defaults);
    return variables;
  }

  @Override
  public Preamble preamble(Place place, Map<String, String> user) {
    if (place.rank() > 0) {
      return Following.follower(place);
    }
    Map<String, String> files = new LinkedHashMap<>();
    files.put(HOSTFILE, hostfile(place, user));
    files.putAll(Following.files(place));
    // Every node has a working directory of its own; this path leads each process to its daemon's.
    return new Preamble(
        List.of("mpirun", "--hostfile", Preamble.path(HOSTFILE), "--wdir", "/proc/self/cwd"),
        files,
        List.of(),
        Following.leader(place));
  }

  /** Rank 0 by the name that every Open MPI takes for the machine it runs on. */
  private String hostfile(Place place, Map<String, String> user) {
    StringBuilder hosts = new StringBuilder();
    for (int rank = 0; rank < place.size(); rank++) {
      Member member = place.members().get(rank);
      hosts
          .append(rank == 0 ? "localhost" : member.address())
          .append(" slots=")
          .append(processes.orElseGet(() -> Handing.processes(member, user)))
          .append('\n');
    }
    return hosts.toString();
  }
}
