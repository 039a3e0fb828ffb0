// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.OptionalInt;

/**
 * What makes processes of a rank's command. The command is then what would stand after the
 * launcher's own name, its options first: {@code command("train.py", "--epochs", "3")}. {@code
 * docs/guide/launchers.md} says what each of them is given. Immutable and thread-safe.
 */
public sealed interface Launcher {

  /** None: the command is the process. */
  record Plain() implements Launcher {}

  /**
   * One {@code torchrun} on each node.
   *
   * @param elastic whether the nodes meet by a c10d rendezvous and not by their given ranks; torch
   *     then numbers the nodes itself
   */
  record Torchrun(boolean elastic) implements Launcher {}

  /** One {@code accelerate launch} on each node. */
  record Accelerate() implements Launcher {}

  /** One {@code deepspeed} on each node, without ssh. */
  record DeepSpeed() implements Launcher {}

  /** None; the command finds the variables of {@code jax.distributed}. */
  record Jax() implements Launcher {}

  /**
   * None: the command itself is started several times on each node, each with the variables of a
   * torchrun worker.
   *
   * @param processes on each node, 1 to 10,000; empty for {@code PET_NPROC_PER_NODE}
   */
  record Direct(OptionalInt processes) implements Launcher {}

  /**
   * One {@code mpirun}, on rank 0, for all nodes, without ssh.
   *
   * @param processes on each node, 1 to 10,000; empty for {@code PET_NPROC_PER_NODE}
   */
  record Mpi(OptionalInt processes) implements Launcher {}

  /** A Ray of all nodes; the command runs on rank 0 once they have joined. */
  record Ray() implements Launcher {}

  /** None: the command is the process. What a specification has that names no other. */
  static Launcher plain() {
    return new Plain();
  }

  /** One {@code torchrun} on each node; worker ranks follow the ranks of the nodes. */
  static Launcher torchrun() {
    return new Torchrun(false);
  }

  /** One {@code torchrun} on each node; the nodes meet by a c10d rendezvous on rank 0. */
  static Launcher elasticTorchrun() {
    return new Torchrun(true);
  }

  /** One {@code accelerate launch} on each node. */
  static Launcher accelerate() {
    return new Accelerate();
  }

  /** One {@code deepspeed} on each node, without ssh. */
  static Launcher deepSpeed() {
    return new DeepSpeed();
  }

  /** The command itself, with what {@code jax.distributed.initialize} needs. */
  static Launcher jax() {
    return new Jax();
  }

  /**
   * The command itself, started once for each GPU of a node, or once without GPUs, or {@code
   * PET_NPROC_PER_NODE} times.
   */
  static Launcher direct() {
    return new Direct(OptionalInt.empty());
  }

  /**
   * The command itself, started several times on each node.
   *
   * @param processesPerNode 1 to 10,000
   */
  static Launcher direct(int processesPerNode) {
    return new Direct(OptionalInt.of(processesPerNode));
  }

  /** One {@code mpirun}, with a slot for each GPU, or as {@code PET_NPROC_PER_NODE} says. */
  static Launcher mpi() {
    return new Mpi(OptionalInt.empty());
  }

  /**
   * One {@code mpirun} with several slots on each node.
   *
   * @param processesPerNode 1 to 10,000
   */
  static Launcher mpi(int processesPerNode) {
    return new Mpi(OptionalInt.of(processesPerNode));
  }

  /** A Ray of all nodes; the command runs on rank 0 once they have joined. */
  static Launcher ray() {
    return new Ray();
  }
}
