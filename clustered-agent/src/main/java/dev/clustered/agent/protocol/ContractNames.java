// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.util.List;

/**
 * The names of the variables that every rank process gets. The engine gives those of {@link
 * #ENGINE} in {@link DesiredWork#contract}, launchers add theirs there, and the agent adds those of
 * {@link #NODE}. A value that the user gives to any of them is overwritten, but for {@link
 * #PET_NPROC_PER_NODE}, {@link #NCCL_HOSTID}, and {@link #CUDA_VISIBLE_DEVICES} of a rank that has
 * its node whole. The names of {@link #NODE_DEFAULTS} are the user's where he gives a value.
 */
public final class ContractNames {

  /** The cluster's identity. */
  public static final String CLUSTER_ID = "CLUSTERED_CLUSTER_ID";

  /** The number of this try at running the workload; the first is 1. */
  public static final String ATTEMPT = "CLUSTERED_ATTEMPT";

  /** This rank, 0 to size − 1. */
  public static final String RANK = "CLUSTERED_RANK";

  /** The number of ranks. */
  public static final String SIZE = "CLUSTERED_SIZE";

  /** The name of this rank's role; {@code worker} in a cluster without roles. */
  public static final String ROLE = "CLUSTERED_ROLE";

  /** This rank among those of its role, 0 to the size of the role − 1. */
  public static final String ROLE_RANK = "CLUSTERED_ROLE_RANK";

  /** The number of ranks of this rank's role. */
  public static final String ROLE_SIZE = "CLUSTERED_ROLE_SIZE";

  /** The addresses of all ranks in rank order, separated by commas, literals without brackets. */
  public static final String ADDRESSES = "CLUSTERED_ADDRESSES";

  /** The address of rank 0. */
  public static final String LEADER = "CLUSTERED_LEADER";

  /** GPUs that each rank may use. */
  public static final String GPUS_PER_NODE = "CLUSTERED_GPUS_PER_NODE";

  /** A file with the contract as one JSON object, given by the agent. */
  public static final String CONTEXT_FILE = "CLUSTERED_CONTEXT_FILE";

  /** A file with the user's whole environment as one JSON object, given by the agent. */
  public static final String ENVIRONMENT_FILE = "CLUSTERED_ENVIRONMENT_FILE";

  /** A file to which the rank may write its result as JSON, given by the agent. */
  public static final String RESULT_FILE = "CLUSTERED_RESULT_FILE";

  /** A file to which the rank may write how far it is, a whole number, given by the agent. */
  public static final String PROGRESS_FILE = "CLUSTERED_PROGRESS_FILE";

  /** A file that is there once an end to come is known, given by the agent. */
  public static final String NOTICE_FILE = "CLUSTERED_NOTICE_FILE";

  /** A file that the rank may touch to say that it gets on, given by the agent. */
  public static final String HEARTBEAT_FILE = "CLUSTERED_HEARTBEAT_FILE";

  /** What marks the processes of a rank as its own, given by the agent's runtime. */
  public static final String SCOPE = "CLUSTERED_SCOPE";

  /** The class of a Java task, given by the agent. */
  public static final String TASK_CLASS = "CLUSTERED_TASK_CLASS";

  /** A file with the input of a Java task as JSON, given by the agent; absent without input. */
  public static final String TASK_INPUT_FILE = "CLUSTERED_TASK_INPUT_FILE";

  /** The address of rank 0, as torch names it. */
  public static final String MASTER_ADDR = "MASTER_ADDR";

  /** A port of the leader's address that is kept free for this attempt. */
  public static final String MASTER_PORT = "MASTER_PORT";

  /** This rank, as torch names a node. */
  public static final String NODE_RANK = "NODE_RANK";

  /** The number of ranks, as torch names it. */
  public static final String WORLD_SIZE = "WORLD_SIZE";

  /** The default of {@code torchrun --nnodes}. */
  public static final String PET_NNODES = "PET_NNODES";

  /** The default of {@code torchrun --nproc-per-node}. */
  public static final String PET_NPROC_PER_NODE = "PET_NPROC_PER_NODE";

  /** The default of {@code torchrun --node-rank}. */
  public static final String PET_NODE_RANK = "PET_NODE_RANK";

  /** The default of {@code torchrun --master-addr}. */
  public static final String PET_MASTER_ADDR = "PET_MASTER_ADDR";

  /** The default of {@code torchrun --master-port}. */
  public static final String PET_MASTER_PORT = "PET_MASTER_PORT";

  /** What tells NCCL this node from the others. */
  public static final String NCCL_HOSTID = "NCCL_HOSTID";

  /** The network interface for NCCL, given by the agent: {@code =} and its exact name. */
  public static final String NCCL_SOCKET_IFNAME = "NCCL_SOCKET_IFNAME";

  /** The network interface for gloo, given by the agent. */
  public static final String GLOO_SOCKET_IFNAME = "GLOO_SOCKET_IFNAME";

  /** The indices of the GPUs that this rank may use, separated by commas; empty without GPUs. */
  public static final String CUDA_VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES";

  /** What the engine gives to every rank. */
  public static final List<String> ENGINE =
      List.of(
          CLUSTER_ID,
          ATTEMPT,
          RANK,
          SIZE,
          ROLE,
          ROLE_RANK,
          ROLE_SIZE,
          ADDRESSES,
          LEADER,
          GPUS_PER_NODE,
          MASTER_ADDR,
          MASTER_PORT,
          NODE_RANK,
          WORLD_SIZE,
          PET_NNODES,
          PET_NPROC_PER_NODE,
          PET_NODE_RANK,
          PET_MASTER_ADDR,
          PET_MASTER_PORT,
          NCCL_HOSTID,
          CUDA_VISIBLE_DEVICES);

  /** What the agent adds, since only the node knows it. */
  public static final List<String> NODE =
      List.of(
          CONTEXT_FILE,
          ENVIRONMENT_FILE,
          RESULT_FILE,
          PROGRESS_FILE,
          NOTICE_FILE,
          HEARTBEAT_FILE,
          SCOPE,
          TASK_CLASS,
          TASK_INPUT_FILE);

  /** The network interface for messages of Open MPI, given by the agent. */
  public static final String OMPI_BTL_INTERFACE = "OMPI_MCA_btl_tcp_if_include";

  /** The network interface for daemons of Open MPI up to its fourth version, given by the agent. */
  public static final String OMPI_OOB_INTERFACE = "OMPI_MCA_oob_tcp_if_include";

  /**
   * The network interface for daemons of Open MPI from its fifth version on, given by the agent;
   * absent where it is the loopback interface, which those do not take.
   */
  public static final String PRTE_OOB_INTERFACE = "PRTE_MCA_oob_tcp_if_include";

  /** What the agent adds where the user does not: the interface of the rank's address. */
  public static final List<String> NODE_DEFAULTS =
      List.of(
          NCCL_SOCKET_IFNAME,
          GLOO_SOCKET_IFNAME,
          OMPI_BTL_INTERFACE,
          OMPI_OOB_INTERFACE,
          PRTE_OOB_INTERFACE);

  private ContractNames() {}
}
