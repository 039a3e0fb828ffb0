// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.model.ErrorCode;
import java.util.List;
import java.util.Map;

/**
 * The contract that the engine gives a rank, checked against what the node knows itself: a rank
 * that would see another cluster than the engine must not start.
 *
 * @param size the number of ranks
 * @param rank the number of this one
 */
record Contract(int size, int rank) {

  /** A rank that has its node whole sees all its GPUs; an older engine knows nothing of roles. */
  private static final List<String> MAY_BE_MISSING =
      List.of(
          ContractNames.CUDA_VISIBLE_DEVICES,
          ContractNames.ROLE,
          ContractNames.ROLE_RANK,
          ContractNames.ROLE_SIZE);

  /**
   * Checks a contract.
   *
   * @param own the node's own addresses
   */
  static Contract check(DesiredWork desired, List<String> own) throws WorkFailure {
    Map<String, String> variables = desired.contract();
    for (String name : ContractNames.ENGINE) {
      require(
          MAY_BE_MISSING.contains(name) || variables.containsKey(name),
          "the variable " + name + " is missing");
    }
    checkRank(desired);
    List<String> addresses = List.of(value(variables, ContractNames.ADDRESSES).split(",", -1));
    checkSize(variables, addresses);
    require(
        desired.rank() >= 0
            && desired.rank() < addresses.size()
            && own.contains(addresses.get(desired.rank())),
        "rank %d of %s is none of this node's addresses %s"
            .formatted(desired.rank(), addresses, own));
    return new Contract(addresses.size(), desired.rank());
  }

  private static void checkRank(DesiredWork desired) throws WorkFailure {
    Map<String, String> variables = desired.contract();
    same(variables, ContractNames.CLUSTER_ID, desired.cluster().value());
    same(variables, ContractNames.ATTEMPT, Integer.toString(desired.attempt()));
    String rank = Integer.toString(desired.rank());
    for (String name : List.of(ContractNames.RANK, ContractNames.NODE_RANK)) {
      same(variables, name, rank);
    }
  }

  private static void checkSize(Map<String, String> variables, List<String> addresses)
      throws WorkFailure {
    for (String name : List.of(ContractNames.SIZE, ContractNames.WORLD_SIZE)) {
      same(variables, name, Integer.toString(addresses.size()));
    }
    for (String name : List.of(ContractNames.LEADER, ContractNames.MASTER_ADDR)) {
      same(variables, name, addresses.getFirst());
    }
  }

  private static void same(Map<String, String> variables, String name, String expected)
      throws WorkFailure {
    String value = value(variables, name);
    require(value.equals(expected), "%s is %s where %s is right".formatted(name, value, expected));
  }

  private static String value(Map<String, String> variables, String name) {
    return variables.getOrDefault(name, "");
  }

  private static void require(boolean condition, String problem) throws WorkFailure {
    if (!condition) {
      throw new WorkFailure(
          ErrorCode.JOIN_MISMATCH, "the contract contradicts the node's own view: " + problem);
    }
  }
}
