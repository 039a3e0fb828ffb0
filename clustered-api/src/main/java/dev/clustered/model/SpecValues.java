// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a specification says, checked or not, with what holds when nothing is said. A builder's may
 * be changed; those of a specification are a copy that nobody changes. Not thread-safe.
 */
final class SpecValues {

  final String name;

  /** As it was said; {@link #nodes()} is what holds. */
  Optional<Integer> nodes = Optional.empty();

  Optional<Integer> minimumNodes = Optional.empty();
  List<Role> roles = new ArrayList<>();
  int spares = 0;
  Optional<String> shape = Optional.empty();
  Optional<Integer> gpus = Optional.empty();
  String gpuModel = "";
  Optional<Integer> cpus = Optional.empty();
  Optional<ByteSize> memory = Optional.empty();
  List<Workload> workloads = new ArrayList<>();
  Optional<Class<?>> task = Optional.empty();
  Launcher launcher = Launcher.plain();
  Set<Alias> aliases = EnumSet.noneOf(Alias.class);
  Map<String, String> environment = new LinkedHashMap<>();
  Map<String, Secret> secrets = new LinkedHashMap<>();
  Map<String, byte[]> files = new LinkedHashMap<>();
  Map<String, Path> localFiles = new LinkedHashMap<>();
  Optional<SentDirectory> directory = Optional.empty();
  List<Volume> volumes = new ArrayList<>();
  Duration grace = Duration.ofSeconds(30);
  Optional<Duration> timeLimit = Optional.empty();
  Optional<ByteSize> logLimit = Optional.empty();
  PhaseTimeouts timeouts = PhaseTimeouts.DEFAULT;
  Optional<HangPolicy> hangPolicy = Optional.empty();
  RestartPolicy restartPolicy = RestartPolicy.NEVER;
  SuccessPolicy successPolicy = SuccessPolicy.ALL_RANKS;

  SpecValues(String name) {
    this.name = name;
  }

  /** How many nodes: those of all roles, or as many as were said, or one. */
  int nodes() {
    if (roles.isEmpty()) {
      return nodes.orElse(1);
    }
    long sum = roles.stream().mapToLong(Role::nodes).sum();
    return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, sum));
  }

  /** The same, free to be changed. */
  SpecValues copy() {
    SpecValues copy = new SpecValues(name);
    copy.nodes = nodes;
    copy.minimumNodes = minimumNodes;
    copy.roles = new ArrayList<>(roles);
    copy.spares = spares;
    copy.shape = shape;
    copy.gpus = gpus;
    copy.gpuModel = gpuModel;
    copy.cpus = cpus;
    copy.memory = memory;
    copy.workloads = new ArrayList<>(workloads);
    copy.task = task;
    copy.launcher = launcher;
    copy.aliases = EnumSet.noneOf(Alias.class);
    copy.aliases.addAll(aliases);
    copy.environment = new LinkedHashMap<>(environment);
    copy.secrets = new LinkedHashMap<>(secrets);
    copy.files = new LinkedHashMap<>(files);
    copy.localFiles = new LinkedHashMap<>(localFiles);
    copy.directory = directory;
    copy.volumes = new ArrayList<>(volumes);
    copy.grace = grace;
    copy.timeLimit = timeLimit;
    copy.logLimit = logLimit;
    copy.timeouts = timeouts;
    copy.hangPolicy = hangPolicy;
    copy.restartPolicy = restartPolicy;
    copy.successPolicy = successPolicy;
    return copy;
  }

  /** The same, whose collections nobody can change. */
  SpecValues frozen() {
    SpecValues frozen = copy();
    requested()
        .ifPresent(
            each -> { // What was not said is none of it once something was.
              frozen.gpus = Optional.of(each.gpus());
              frozen.cpus = Optional.of(each.cpus());
              frozen.memory = Optional.of(each.memory());
            });
    // What is so anyway was not said: a copy may yet get a role, or one more.
    frozen.nodes = nodes.filter(said -> roles.isEmpty() && said != 1);
    frozen.minimumNodes = minimumNodes.filter(least -> least != nodes());
    frozen.roles = List.copyOf(roles);
    frozen.workloads = saysWorkload() ? List.copyOf(workloads) : List.of();
    frozen.aliases = Collections.unmodifiableSet(frozen.aliases);
    frozen.environment = Collections.unmodifiableMap(frozen.environment);
    frozen.secrets = Collections.unmodifiableMap(frozen.secrets);
    frozen.files = Collections.unmodifiableMap(frozen.files);
    frozen.localFiles = Collections.unmodifiableMap(frozen.localFiles);
    frozen.volumes = List.copyOf(volumes);
    return frozen;
  }

  /** Whether the workload for all is more than the first role's, which stands for none. */
  private boolean saysWorkload() {
    return roles.isEmpty()
        || roles.stream().anyMatch(role -> role.workload().isEmpty())
        || !roles.getFirst().workload().equals(Optional.of(workload()));
  }

  /**
   * What was said for ranks that have nothing of their own; where nothing was, since every role has
   * its own, the first role's.
   */
  Workload workload() {
    return Stream.concat(workloads.stream(), roles.stream().flatMap(r -> r.workload().stream()))
        .findFirst()
        .orElseThrow();
  }

  /** A null is a mistake in the calling program, told where it is made. */
  static <T> T given(String what, T value) {
    return Objects.requireNonNull(value, () -> "the specification's " + what + " is null");
  }

  /** Name, size and what each rank takes; never an environment or a secret. */
  String inWords() {
    String each = requested().map(need -> need + " each").orElse("whole");
    String what = shape.map(only -> "shape " + only + ", " + each).orElse(each);
    String who =
        roles.isEmpty()
            ? ""
            : roles.stream().map(Role::toString).collect(Collectors.joining(", ", " (", ")"));
    return "%s: %d nodes%s, %s".formatted(name, nodes(), who, what);
  }

  /** What each rank takes of its node; empty when nothing was said. */
  Optional<Resources> requested() {
    if (gpus.isEmpty() && cpus.isEmpty() && memory.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Resources(gpus.orElse(0), gpuModel, cpus.orElse(0), memory.orElse(ByteSize.ZERO)));
  }
}
