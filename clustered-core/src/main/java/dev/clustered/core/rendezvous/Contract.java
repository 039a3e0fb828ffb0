// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.ContractNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The variables that the engine gives to every rank; {@code docs/guide/contract.md} describes them
 * to users. The same for every launcher. Stateless and thread-safe.
 */
public final class Contract {

  private Contract() {}

  /**
   * The names of which the contract only gives a default: a user's own value wins. {@code
   * CUDA_VISIBLE_DEVICES} is one of them only where a rank has its node whole.
   */
  public static List<String> defaults(Member member) {
    List<String> names =
        new ArrayList<>(List.of(ContractNames.PET_NPROC_PER_NODE, ContractNames.NCCL_HOSTID));
    if (member.wholeNode()) {
      names.add(ContractNames.CUDA_VISIBLE_DEVICES);
    }
    return names;
  }

  /** The variables of one rank in a fixed order, for a user who sets none of {@link #defaults}. */
  public static Map<String, String> variables(Place place) {
    Member own = place.own();
    List<Member> members = place.members();
    String leader = place.leader();
    String leaderPort = Integer.toString(place.port());
    String number = Integer.toString(place.rank());
    String size = Integer.toString(place.size());
    int gpus = own.gpus().size();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(ContractNames.CLUSTER_ID, place.cluster().value());
    variables.put(ContractNames.ATTEMPT, Integer.toString(place.attempt()));
    variables.put(ContractNames.RANK, number);
    variables.put(ContractNames.SIZE, size);
    variables.putAll(RoleVariables.of(place));
    variables.put(ContractNames.ADDRESSES, addresses(members));
    variables.put(ContractNames.LEADER, leader);
    variables.put(ContractNames.GPUS_PER_NODE, Integer.toString(gpus));
    variables.put(ContractNames.MASTER_ADDR, leader);
    variables.put(ContractNames.MASTER_PORT, leaderPort);
    variables.put(ContractNames.NODE_RANK, number);
    variables.put(ContractNames.WORLD_SIZE, size);
    variables.put(ContractNames.PET_NNODES, size);
    variables.put(ContractNames.PET_NPROC_PER_NODE, Integer.toString(own.processes()));
    variables.put(ContractNames.PET_NODE_RANK, number);
    variables.put(ContractNames.PET_MASTER_ADDR, leader);
    variables.put(ContractNames.PET_MASTER_PORT, leaderPort);
    variables.put(ContractNames.NCCL_HOSTID, own.address());
    if (!own.wholeNode()) {
      variables.put(ContractNames.CUDA_VISIBLE_DEVICES, indices(own.gpus()));
    }
    return variables;
  }

  /**
   * The variables of one rank with the user's own values of {@link #defaults} in their place.
   *
   * @param user the user's environment; all else in it is disregarded
   */
  public static Map<String, String> variables(Place place, Map<String, String> user) {
    Map<String, String> variables = variables(place);
    for (String name : defaults(place.own())) {
      String own = user.get(name);
      if (own != null) {
        variables.put(name, own);
      }
    }
    return variables;
  }

  private static String addresses(List<Member> members) {
    return members.stream().map(Member::address).collect(Collectors.joining(","));
  }

  private static String indices(List<Integer> gpus) {
    return gpus.stream().map(gpu -> Integer.toString(gpu)).collect(Collectors.joining(","));
  }
}
