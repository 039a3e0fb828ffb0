// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.Alias;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.Launcher;
import dev.clustered.model.PhaseTimeouts;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Role;
import dev.clustered.model.SentDirectory;
import dev.clustered.model.SuccessPolicy;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Random specifications without secrets, which do not come back. */
final class RandomSpecs {

  private RandomSpecs() {}

  static ClusterSpec of(RandomValues random) {
    ClusterSpec.Builder spec =
        ClusterSpec.builder("name " + random.identifier())
            .workload(workload(random))
            .grace(random.duration());
    boolean roles = random.chance();
    if (roles) {
      roles(random, spec);
    } else {
      spec.nodes(1 + random.below(1_000));
    }
    if (random.chance()) {
      spec.shape("shape.Größe " + random.below(9));
    }
    if (random.chance()) {
      spec.gpus(random.chance() ? "H200" : "", 1 + random.below(8));
    }
    if (random.chance()) {
      spec.cpus(1 + random.below(96)).memory(ByteSize.mebibytes(random.below(1_000)));
    }
    if (random.chance()) {
      spec.timeLimit(Duration.ofMillis(1).plus(random.duration()));
    }
    if (random.chance()) {
      spec.aliases(random.chance() ? Alias.values() : new Alias[] {Alias.DSTACK});
    }
    if (random.chance()) {
      spec.restart(
          RestartPolicy.upTo(1 + random.below(9))
              .withBudget(RestartCause.HUNG, random.below(3))
              .withProgress(random.below(4))
              .withPause(Duration.ofMillis(random.below(9_999)), Duration.ofHours(1))
              .withNever(Set.of(1 + random.below(100)))
              .withAlways(Set.of(101 + random.below(100), 255)));
    }
    if (!roles && random.chance()) {
      spec.nodes(1 + random.below(3), 3 + random.below(9));
    }
    if (random.chance()) {
      spec.spares(random.below(3)).restart(RestartPolicy.upTo(2));
    }
    if (random.chance()) {
      spec.logLimit(ByteSize.mebibytes(1 + random.below(99)));
    }
    if (random.chance()) {
      spec.timeouts(
          PhaseTimeouts.DEFAULT
              .withQueue(Duration.ofSeconds(1 + random.below(99)))
              .withDrain(Duration.ofMillis(1 + random.below(9_999))));
    }
    if (random.chance()) {
      HangPolicy hang = HangPolicy.silentFor(Duration.ofMillis(1 + random.below(9_999)));
      spec.hang(random.chance() ? hang : hang.withHeartbeat(Duration.ofSeconds(5)));
    }
    if (random.chance()) {
      List<SuccessPolicy> policies = List.of(SuccessPolicy.values());
      SuccessPolicy policy = policies.get(random.below(policies.size()));
      spec.success(roles && policy == SuccessPolicy.LEADER ? SuccessPolicy.ANY_RANK : policy);
    }
    if (random.chance()) {
      spec.directory(
          new SentDirectory(
              Path.of("/home/" + random.identifier()), List.of("*.log", "ü " + random.below(9))));
    }
    if (!roles) {
      launcher(random, spec);
    }
    for (int i = random.below(5); i > 0; i--) {
      spec.environment("V" + random.text().replaceAll("[\\p{Cntrl}=]", "_") + i, given(random));
      spec.file("f/" + random.identifier() + i + " ü", random.bytes());
      spec.file("l/" + random.identifier() + i, Path.of("/data/" + random.identifier() + " ü"));
      spec.volume(new Volume("v/" + random.identifier() + i, "/srv/" + random.identifier()));
    }
    return spec.build();
  }

  private static void roles(RandomValues random, ClusterSpec.Builder spec) {
    for (int i = random.below(3); i >= 0; i--) {
      Role role = Role.of("role-" + i, 1 + random.below(9)).environment("R", given(random));
      role = random.chance() ? role.workload(workload(random)) : role;
      spec.role(i > 0 && random.chance() ? role.untilOthersEnd() : role);
    }
  }

  /** Any that can start what there is to start. */
  private static void launcher(RandomValues random, ClusterSpec.Builder spec) {
    List<Launcher> launchers =
        List.of(
            Launcher.plain(),
            Launcher.torchrun(),
            Launcher.elasticTorchrun(),
            Launcher.accelerate(),
            Launcher.deepSpeed(),
            Launcher.jax(),
            Launcher.direct(),
            Launcher.direct(1 + random.below(10_000)),
            Launcher.mpi(),
            Launcher.mpi(1 + random.below(10_000)),
            Launcher.ray());
    if (spec.build().workload() instanceof Workload.Command) {
      spec.launcher(launchers.get(random.below(launchers.size())));
    }
  }

  /** A text that a process can be given. */
  private static String given(RandomValues random) {
    return random.text().replace("\0", "");
  }

  private static Workload workload(RandomValues random) {
    return switch (random.below(3)) {
      case 0 -> {
        List<String> arguments = new ArrayList<>(List.of("program"));
        for (int i = random.below(5); i > 0; i--) {
          arguments.add(given(random));
        }
        yield new Workload.Command(arguments);
      }
      case 1 -> new Workload.Script("#!/bin/sh\n" + given(random));
      default -> {
        Optional<Object> input =
            random.chance()
                ? Optional.empty()
                : Optional.of(Json.mapper().valueToTree(List.of(random.text(), random.below(9))));
        yield new Workload.Task("com.example." + random.identifier(), input);
      }
    };
  }
}
