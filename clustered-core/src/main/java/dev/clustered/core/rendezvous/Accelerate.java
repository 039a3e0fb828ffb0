// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.Preamble;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says all by options, and by a configuration of its own, so that none of a home is read. */
final class Accelerate implements Handing {

  private static final String CONFIGURATION = "accelerate.yaml";

  /** Without it, workers that see no GPU are each a world of one. */
  @Override
  public Map<String, String> variables(Place place, Map<String, String> user) {
    Map<String, String> variables = new LinkedHashMap<>();
    if (place.own().gpus().isEmpty()) {
      variables.put("ACCELERATE_USE_CPU", "true");
    }
    return variables;
  }

  @Override
  public Preamble preamble(Place place, Map<String, String> user) {
    int processes =
        place.members().stream().mapToInt(member -> Handing.processes(member, user)).sum();
    List<String> arguments =
        List.of(
            "accelerate",
            "launch",
            "--config_file",
            Preamble.path(CONFIGURATION),
            "--num_machines",
            Integer.toString(place.size()),
            "--num_processes",
            Integer.toString(processes),
            "--machine_rank",
            Integer.toString(place.rank()),
            "--main_process_ip",
            place.leader(),
            "--main_process_port",
            Integer.toString(place.port()),
            "--same_network");
    Map<String, String> files = new LinkedHashMap<>();
    files.put(CONFIGURATION, configuration(processes));
    return new Preamble(arguments, files);
  }

  /** A file and not an option, since an option would contradict {@code --use_fsdp} and the like. */
  private static String configuration(int processes) {
    return "compute_environment: LOCAL_MACHINE\ndistributed_type: %s\n"
        .formatted(processes > 1 ? "MULTI_GPU" : "'NO'");
  }
}
