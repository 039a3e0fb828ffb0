// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.Preamble;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Gives each process what a worker of torchrun has, so that nothing of torch need be there. */
final class Direct implements Handing {

  private final OptionalInt processes;

  Direct(OptionalInt processes) {
    this.processes = processes;
  }

  @Override
  public Map<String, String> variables(Place place, Map<String, String> user) {
    Map<String, String> variables = new LinkedHashMap<>();
    processes.ifPresent(
        each -> variables.put(ContractNames.PET_NPROC_PER_NODE, Integer.toString(each)));
    return variables;
  }

  @Override
  public Preamble preamble(Place place, Map<String, String> user) {
    int first = 0;
    int world = 0;
    for (int rank = 0; rank < place.size(); rank++) {
      int each = each(place.members().get(rank), user);
      first += rank < place.rank() ? each : 0;
      world += each;
    }
    int local = each(place.own(), user);
    List<Map<String, String>> workers = new ArrayList<>();
    for (int i = 0; i < local; i++) {
      Map<String, String> worker = worker(place, i, first + i, world, local);
      defaults(local).forEach((name, value) -> put(worker, name, value, user));
      workers.add(worker);
    }
    return new Preamble(List.of(), Collections.emptyMap(), workers, List.of());
  }

  private int each(Member member, Map<String, String> user) {
    return processes.orElseGet(() -> Handing.processes(member, user));
  }

  private static Map<String, String> worker(
      Place place, int index, int number, int world, int local) {
    String rank = Integer.toString(number);
    String size = Integer.toString(world);
    Map<String, String> worker = new LinkedHashMap<>();
    worker.put("RANK", rank);
    worker.put("LOCAL_RANK", Integer.toString(index));
    worker.put(ContractNames.WORLD_SIZE, size);
    worker.put("LOCAL_WORLD_SIZE", Integer.toString(local));
    worker.put("GROUP_RANK", Integer.toString(place.rank()));
    worker.put("GROUP_WORLD_SIZE", Integer.toString(place.size()));
    worker.put("ROLE_NAME", "default");
    worker.put("ROLE_RANK", rank);
    worker.put("ROLE_WORLD_SIZE", size);
    worker.put("TORCHELASTIC_RUN_ID", place.cluster() + "-" + place.attempt());
    worker.put("TORCHELASTIC_RESTART_COUNT", "0");
    worker.put("TORCHELASTIC_MAX_RESTARTS", "0");
    // The worker of rank 0 listens itself: nobody has done it for all of them.
    worker.put("TORCHELASTIC_USE_AGENT_STORE", "False");
    return worker;
  }

  private static Map<String, String> defaults(int local) {
    Map<String, String> defaults = new LinkedHashMap<>();
    defaults.put("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
    if (local > 1) {
      defaults.put("OMP_NUM_THREADS", "1");
    }
    return defaults;
  }

  private static void put(
      Map<String, String> worker, String name, String value, Map<String, String> user) {
    if (!user.containsKey(name)) {
      worker.put(name, value);
    }
  }
}
