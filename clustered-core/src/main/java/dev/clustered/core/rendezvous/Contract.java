// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.model.ClusterId;
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
    return wholeNode(member)
        ? List.of(ContractNames.PET_NPROC_PER_NODE, ContractNames.CUDA_VISIBLE_DEVICES)
        : List.of(ContractNames.PET_NPROC_PER_NODE);
  }

  /**
   * The variables of one rank in a fixed order, for a user who sets none of {@link #defaults}.
   *
   * @param attempt the number of the try, 1 or more
   * @param members every rank's node in rank order
   * @param port the port that is kept free on rank 0's address
   */
  public static Map<String, String> variables(
      ClusterId cluster, int attempt, int rank, List<Member> members, int port) {
    requireSound(attempt, rank, members);
    Member own = members.get(rank);
    String leader = members.getFirst().address();
    String leaderPort = Integer.toString(Endpoint.requirePort(port));
    String number = Integer.toString(rank);
    String size = Integer.toString(members.size());
    int gpus = own.gpus().size();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(ContractNames.CLUSTER_ID, cluster.value());
    variables.put(ContractNames.ATTEMPT, Integer.toString(attempt));
    variables.put(ContractNames.RANK, number);
    variables.put(ContractNames.SIZE, size);
    variables.put(ContractNames.ADDRESSES, addresses(members));
    variables.put(ContractNames.LEADER, leader);
    variables.put(ContractNames.GPUS_PER_NODE, Integer.toString(gpus));
    variables.put(ContractNames.MASTER_ADDR, leader);
    variables.put(ContractNames.MASTER_PORT, leaderPort);
    variables.put(ContractNames.NODE_RANK, number);
    variables.put(ContractNames.WORLD_SIZE, size);
    variables.put(ContractNames.PET_NNODES, size);
    variables.put(ContractNames.PET_NPROC_PER_NODE, Integer.toString(Math.max(1, gpus)));
    variables.put(ContractNames.PET_NODE_RANK, number);
    variables.put(ContractNames.PET_MASTER_ADDR, leader);
    variables.put(ContractNames.PET_MASTER_PORT, leaderPort);
    if (!wholeNode(own)) {
      variables.put(ContractNames.CUDA_VISIBLE_DEVICES, indices(own.gpus()));
    }
    return variables;
  }

  /**
   * The variables of one rank with the user's own values of {@link #defaults} in their place.
   *
   * @param user the user's environment; all else in it is disregarded
   */
  public static Map<String, String> variables(
      ClusterId cluster,
      int attempt,
      int rank,
      List<Member> members,
      int port,
      Map<String, String> user) {
    Map<String, String> variables = variables(cluster, attempt, rank, members, port);
    for (String name : defaults(members.get(rank))) {
      String own = user.get(name);
      if (own != null) {
        variables.put(name, own);
      }
    }
    return variables;
  }

  private static void requireSound(int attempt, int rank, List<Member> members) {
    if (attempt < 1) {
      throw new IllegalArgumentException("an attempt is 1 or more; received: " + attempt);
    }
    if (rank < 0 || rank >= members.size()) {
      throw new IllegalArgumentException(
          "a rank of %d members is 0 to %d; received: %d"
              .formatted(members.size(), members.size() - 1, rank));
    }
  }

  private static boolean wholeNode(Member member) {
    return member.gpus().size() >= member.nodeGpus();
  }

  private static String addresses(List<Member> members) {
    return members.stream().map(Member::address).collect(Collectors.joining(","));
  }

  private static String indices(List<Integer> gpus) {
    return gpus.stream().map(gpu -> Integer.toString(gpu)).collect(Collectors.joining(","));
  }
}
