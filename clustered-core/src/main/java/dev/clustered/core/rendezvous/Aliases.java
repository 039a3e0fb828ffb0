// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.model.Alias;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The names that other systems have for what the contract says. Stateless and thread-safe. */
final class Aliases {

  private Aliases() {}

  /** The variables of one system in a fixed order. */
  static Map<String, String> variables(Alias alias, Place place) {
    return switch (alias) {
      case SKYPILOT -> skyPilot(place);
      case DSTACK -> dstack(place);
      case SLURM -> slurm(place);
    };
  }

  private static Map<String, String> skyPilot(Place place) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("SKYPILOT_NODE_RANK", Integer.toString(place.rank()));
    variables.put("SKYPILOT_NODE_IPS", addresses(place, "\n"));
    variables.put("SKYPILOT_NUM_NODES", Integer.toString(place.size()));
    variables.put("SKYPILOT_NUM_GPUS_PER_NODE", gpus(place));
    variables.put("SKYPILOT_TASK_ID", place.cluster().value());
    return variables;
  }

  private static Map<String, String> dstack(Place place) {
    int all = place.members().stream().mapToInt(member -> member.gpus().size()).sum();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("DSTACK_NODE_RANK", Integer.toString(place.rank()));
    variables.put("DSTACK_NODES_IPS", addresses(place, "\n"));
    variables.put("DSTACK_NODES_NUM", Integer.toString(place.size()));
    variables.put("DSTACK_MASTER_NODE_IP", place.leader());
    variables.put("DSTACK_GPUS_PER_NODE", gpus(place));
    variables.put("DSTACK_GPUS_NUM", Integer.toString(all));
    return variables;
  }

  private static Map<String, String> slurm(Place place) {
    String size = Integer.toString(place.size());
    String rank = Integer.toString(place.rank());
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("SLURM_JOB_ID", place.cluster().value());
    variables.put("SLURM_JOB_NODELIST", addresses(place, ","));
    variables.put("SLURM_JOB_NUM_NODES", size);
    variables.put("SLURM_NNODES", size);
    variables.put("SLURM_NODEID", rank);
    variables.put("SLURM_NTASKS", size);
    variables.put("SLURM_NTASKS_PER_NODE", "1");
    variables.put("SLURM_PROCID", rank);
    variables.put("SLURM_LOCALID", "0");
    variables.put("SLURM_GPUS_PER_NODE", gpus(place));
    variables.put("SLURM_RESTART_COUNT", Integer.toString(place.attempt() - 1));
    return variables;
  }

  private static String addresses(Place place, String separator) {
    return place.members().stream().map(Member::address).collect(Collectors.joining(separator));
  }

  private static String gpus(Place place) {
    return Integer.toString(place.own().gpus().size());
  }
}
