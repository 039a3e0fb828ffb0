// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;

/** What a launcher and the rest of a specification must agree on. */
final class LauncherRules {

  static final String PROCESSES = "PET_NPROC_PER_NODE";
  private static final int MOST_PROCESSES = 10_000;

  private LauncherRules() {}

  /** Notes every contradiction as a field and what is wrong with it. */
  static void check(SpecValues spec, BiConsumer<String, String> problems) {
    Launcher launcher = spec.launcher;
    if (!spec.workloads.isEmpty()) {
      workload(launcher, spec.workloads.getFirst())
          .ifPresent(problem -> problems.accept("launcher", problem));
    }
    processes(launcher)
        .ifPresent(
            processes -> {
              if (processes < 1 || processes > MOST_PROCESSES) {
                problems.accept(
                    "launcher",
                    "%s takes 1 to %d processes on each node; received %d"
                        .formatted(name(launcher), MOST_PROCESSES, processes));
              } else if (given(spec)) {
                problems.accept(
                    "environment",
                    "%s contradicts the %d processes that the launcher names; leave one out"
                        .formatted(PROCESSES, processes));
              }
            });
    if (counts(launcher)) {
      Optional.ofNullable(spec.environment.get(PROCESSES))
          .filter(value -> !isCount(value))
          .ifPresent(
              value ->
                  problems.accept(
                      "environment",
                      "%s takes 1 to %d with %s; received %s"
                          .formatted(
                              PROCESSES, MOST_PROCESSES, name(launcher), Names.printable(value))));
      if (spec.secrets.containsKey(PROCESSES)) {
        problems.accept("secret", PROCESSES + " is no secret: it stands in arguments");
      }
    }
  }

  /** Why a launcher cannot start a workload; empty when it can. */
  static Optional<String> workload(Launcher launcher, Workload workload) {
    if (launcher instanceof Launcher.Plain) {
      return Optional.empty();
    }
    return switch (workload) {
      case Workload.Command command -> Optional.empty();
      case Workload.Script script when startsTheCommand(launcher) -> Optional.empty();
      case Workload.Script script ->
          Optional.of(
              name(launcher)
                  + " starts a program with its arguments and no script; give the script as a file"
                  + " and name it in the command");
      case Workload.Task task ->
          Optional.of(name(launcher) + " starts a command and no Java task; leave one of them out");
    };
  }

  /** Whether it must be told how many processes there are. */
  static boolean counts(Launcher launcher) {
    return launcher instanceof Launcher.Accelerate
        || launcher instanceof Launcher.DeepSpeed
        || launcher instanceof Launcher.Direct
        || launcher instanceof Launcher.Mpi;
  }

  /** Whether the command is started as it stands, on a node where its files are. */
  private static boolean startsTheCommand(Launcher launcher) {
    return launcher instanceof Launcher.Jax
        || launcher instanceof Launcher.Direct
        || launcher instanceof Launcher.Ray;
  }

  private static OptionalInt processes(Launcher launcher) {
    return switch (launcher) {
      case Launcher.Direct direct -> direct.processes();
      case Launcher.Mpi mpi -> mpi.processes();
      default -> OptionalInt.empty();
    };
  }

  private static boolean given(SpecValues spec) {
    return spec.environment.containsKey(PROCESSES) || spec.secrets.containsKey(PROCESSES);
  }

  private static boolean isCount(String value) {
    return value.matches("[0-9]{1,5}")
        && Integer.parseInt(value) >= 1
        && Integer.parseInt(value) <= MOST_PROCESSES;
  }

  /** Its name in sentences. */
  static String name(Launcher launcher) {
    return switch (launcher) {
      case Launcher.Plain plain -> "no launcher";
      case Launcher.Torchrun torchrun -> "torchrun";
      case Launcher.Accelerate accelerate -> "accelerate";
      case Launcher.DeepSpeed deepSpeed -> "deepspeed";
      case Launcher.Jax jax -> "the launcher for JAX";
      case Launcher.Direct direct -> "the launcher of direct ranks";
      case Launcher.Mpi mpi -> "mpirun";
      case Launcher.Ray ray -> "the launcher for Ray";
    };
  }
}
