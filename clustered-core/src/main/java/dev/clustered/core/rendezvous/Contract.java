// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.model.ClusterId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The variables that the engine gives to every rank; docs/guide/contract.md describes them. */
public final class Contract {

  private Contract() {}

  /**
   * The variables of one rank, in a fixed order.
   *
   * @param members every rank's node in rank order
   * @param port the port that is reserved on rank 0's address
   */
  public static Map<String, String> variables(
      ClusterId cluster, int attempt, int rank, List<Member> members, int port) {
    Member own = members.get(rank);
    String leader = members.getFirst().address();
    String size = Integer.toString(members.size());
    int gpus = own.gpus().size();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(ContractNames.CLUSTER_ID, cluster.value());
    variables.put(ContractNames.ATTEMPT, Integer.toString(attempt));
    variables.put(ContractNames.RANK, Integer.toString(rank));
    variables.put(ContractNames.SIZE, size);
    variables.put(
        ContractNames.ADDRESSES,
        members.stream().map(Member::address).collect(Collectors.joining(",")));
    variables.put(ContractNames.LEADER, leader);
    variables.put(ContractNames.GPUS_PER_NODE, Integer.toString(gpus));
    variables.put(ContractNames.MASTER_ADDR, leader);
    variables.put(ContractNames.MASTER_PORT, Integer.toString(port));
    variables.put(ContractNames.NODE_RANK, Integer.toString(rank));
    variables.put(ContractNames.WORLD_SIZE, size);
    variables.put(ContractNames.PET_NNODES, size);
    variables.put(ContractNames.PET_NPROC_PER_NODE, Integer.toString(Math.max(1, gpus)));
    variables.put(ContractNames.PET_NODE_RANK, Integer.toString(rank));
    variables.put(ContractNames.PET_MASTER_ADDR, leader);
    variables.put(ContractNames.PET_MASTER_PORT, Integer.toString(port));
    variables.put(
        ContractNames.CUDA_VISIBLE_DEVICES,
        own.gpus().stream().map(gpu -> Integer.toString(gpu)).collect(Collectors.joining(",")));
    return variables;
  }
}
