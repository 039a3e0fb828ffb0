// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import dev.clustered.model.InvalidSpecException.Problem;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a specification must obey; finds every problem, in the order of the fields. */
final class SpecRules {

  private static final int LONGEST_NAME = 200;

  /** More nodes than any cloud's fabric holds; a larger number is a mistake. */
  private static final int MOST_NODES = 100_000;

  private static final int MOST_SPARES = 1_000;

  private static final ByteSize LEAST_LOG = ByteSize.mebibytes(1);

  private static final Duration LONGEST = Duration.ofDays(3_650);

  /** Nodes are paid for through a pause. */
  private static final Duration LONGEST_PAUSE = Duration.ofDays(1);

  private final SpecValues spec;
  private final List<Problem> problems = new ArrayList<>();

  private SpecRules(SpecValues spec) {
    this.spec = spec;
  }

  static List<Problem> problems(SpecValues spec) {
    SpecRules rules = new SpecRules(spec);
    rules.name();
    rules.size();
    rules.resources();
    rules.workload();
    RoleRules.check(spec, MOST_NODES, rules::add);
    LauncherRules.check(spec, rules::add);
    rules.environment();
    rules.paths();
    rules.durations();
    rules.timeouts();
    rules.logLimit();
    rules.hang();
    rules.restarts();
    return rules.problems;
  }

  private void name() {
    if (spec.name.isBlank() || spec.name.length() > LONGEST_NAME) {
      add("name", "takes 1 to 200 characters; received " + Names.printable(spec.name));
    }
    if (Names.hasControlCharacter(spec.name)) {
      add("name", "has a control character; received " + Names.printable(spec.name));
    }
  }

  private void size() {
    if (spec.roles.isEmpty()) {
      nodes(spec.nodes());
    } else if (spec.nodes() > MOST_NODES) {
      add(
          "roles",
          "have at most %,d nodes together; received %,d".formatted(MOST_NODES, spec.nodes()));
    }
    spec.shape
        .filter(shape -> shape.isBlank() || Names.hasControlCharacter(shape))
        .ifPresent(shape -> add("shape", "is no name; received " + Names.printable(shape)));
  }

  private void nodes(int most) {
    if (most < 1 || most > MOST_NODES) {
      add("nodes", "takes 1 to " + MOST_NODES + "; received " + most);
      return;
    }
    spec.minimumNodes
        .filter(least -> least < 1 || least > most)
        .ifPresent(least -> add("minimumNodes", "takes 1 to " + most + "; received " + least));
  }

  private void resources() {
    spec.gpus.filter(n -> n < 0).ifPresent(n -> add("gpus", "takes 0 or more; received " + n));
    spec.cpus.filter(n -> n < 0).ifPresent(n -> add("cpus", "takes 0 or more; received " + n));
    if (Names.hasControlCharacter(spec.gpuModel)) {
      add("gpus", "the model has a control character: " + Names.printable(spec.gpuModel));
    }
    boolean asks = spec.gpus.isPresent() || spec.cpus.isPresent() || spec.memory.isPresent();
    boolean takesNothing =
        spec.gpus.orElse(0) == 0
            && spec.cpus.orElse(0) == 0
            && spec.memory.orElse(ByteSize.ZERO).bytes() == 0;
    if (asks && takesNothing) {
      add("resources", "a rank takes nothing; ask for something, or leave it out for whole nodes");
    }
  }

  private void workload() {
    if (spec.workloads.isEmpty() && spec.roles.isEmpty()) {
      add("command", "is missing; give a command, a script or a task");
    }
    spec.workloads.forEach(workload -> WorkloadRules.check("", workload, this::add));
    spec.task.flatMap(TaskRules::problem).ifPresent(problem -> add("task", problem));
  }

  private void environment() {
    spec.environment.forEach((variable, value) -> variable("environment", variable, value));
    spec.secrets.forEach((variable, value) -> variable("secret", variable, value.reveal()));
    spec.secrets.keySet().stream()
        .filter(spec.environment::containsKey)
        .forEach(v -> add("secret", "stands in the environment too: " + Names.printable(v)));
  }

  private void variable(String field, String variable, String value) {
    EnvironmentRules.check(field, variable, value, this::add);
  }

  private void paths() {
    List<Path> files = new ArrayList<>();
    List<String> names = new ArrayList<>(spec.files.keySet());
    names.addAll(spec.localFiles.keySet());
    for (String file : names) {
      if (path("file", file)) {
        Path path = Path.of(file).normalize();
        if (files.stream().anyMatch(other -> overlap(other, path))) {
          add("file", "the path stands twice or inside another: " + Names.printable(file));
        }
        files.add(path);
      }
    }
    volumes(files);
    spec.directory.ifPresent(directory -> patterns(directory.excludes()));
  }

  private void patterns(List<String> excludes) {
    for (int i = 0; i < excludes.size(); i++) {
      String pattern = excludes.get(i);
      try {
        FileSystems.getDefault().getPathMatcher("glob:" + pattern);
      } catch (IllegalArgumentException e) {
        add("directory.excludes[" + i + "]", "is no glob pattern: " + Names.printable(pattern));
      }
      if (pattern.isBlank() || pattern.startsWith("/")) {
        add(
            "directory.excludes[" + i + "]",
            "takes a pattern relative to the directory; received " + Names.printable(pattern));
      }
    }
  }

  private void volumes(List<Path> files) {
    Set<Path> seen = new LinkedHashSet<>();
    for (Volume volume : spec.volumes) {
      if (path("volume", volume.path())) {
        volume(volume, files, seen);
      }
      if (volume.source().isBlank()) {
        add("volume", "has no source: " + Names.printable(volume.path()));
      }
    }
  }

  private void volume(Volume volume, List<Path> files, Set<Path> seen) {
    Path path = Path.of(volume.path()).normalize();
    if (!seen.add(path)) {
      add("volume", "the path stands twice: " + Names.printable(volume.path()));
    }
    if (files.stream().anyMatch(file -> overlap(file, path))) {
      add("volume", "the path holds a file too: " + Names.printable(volume.path()));
    }
  }

  private static boolean overlap(Path one, Path other) {
    return one.startsWith(other) || other.startsWith(one);
  }

  private boolean path(String field, String value) {
    try {
      Path path = Path.of(value).normalize();
      boolean inside = !path.isAbsolute() && !path.startsWith("..") && !path.toString().isEmpty();
      if (inside && !Names.hasControlCharacter(value)) {
        return true;
      }
    } catch (InvalidPathException e) {
      // Reported below together with the other unusable paths.
    }
    add(
        field,
        "takes a path inside the working directory, relative, without control characters; received "
            + Names.printable(value));
    return false;
  }

  private void durations() {
    if (spec.grace.isNegative() || spec.grace.compareTo(LONGEST) > 0) {
      add("grace", "takes zero to ten years; received " + spec.grace);
    }
    spec.timeLimit
        .filter(limit -> !limit.isPositive() || limit.compareTo(LONGEST) > 0)
        .ifPresent(
            limit -> add("timeLimit", "takes more than zero, up to ten years; received " + limit));
  }

  private void logLimit() {
    spec.logLimit
        .filter(limit -> limit.compareTo(LEAST_LOG) < 0)
        .ifPresent(
            limit -> add("logLimit", "takes %s or more; received %s".formatted(LEAST_LOG, limit)));
  }

  private void timeouts() {
    PhaseTimeouts limits = spec.timeouts;
    limits.queue().ifPresent(limit -> timeout("queue", limit));
    limits.boot().ifPresent(limit -> timeout("boot", limit));
    timeout("prepare", limits.prepare());
    timeout("join", limits.join());
    timeout("drain", limits.drain());
  }

  private void hang() {
    spec.hangPolicy.ifPresent(
        policy -> {
          limit("hang.silent", policy.silent());
          policy.heartbeat().ifPresent(limit -> limit("hang.heartbeat", limit));
        });
  }

  private void timeout(String phase, Duration limit) {
    limit("timeouts." + phase, limit);
  }

  private void limit(String field, Duration limit) {
    if (!limit.isPositive() || limit.compareTo(LONGEST) > 0) {
      add(field, "takes more than zero, up to ten years; received " + limit);
    }
  }

  private void restarts() {
    RestartPolicy policy = spec.restartPolicy;
    if (policy.restarts() < 0) {
      add("restart.restarts", "takes zero or more; received " + policy.restarts());
    }
    if (policy.withoutProgress() < 0) {
      add("restart.withoutProgress", "takes zero or more; received " + policy.withoutProgress());
    }
    policy
        .budgets()
        .forEach(
            (cause, own) -> {
              if (own < 0) {
                add("restart.budgets." + cause, "takes zero or more; received " + own);
              }
            });
    if (spec.spares < 0 || spec.spares > MOST_SPARES) {
      add("spares", "takes 0 to %,d; received %d".formatted(MOST_SPARES, spec.spares));
    } else if (spec.spares > 0 && !policy.replacesNodes()) {
      add(
          "spares",
          "are for restarts after a lost node, and the restart policy has none; received "
              + spec.spares);
    }
    pause("restart.pause", policy.pause());
    pause("restart.longestPause", policy.longestPause());
    codes("restart.never", policy.never());
    codes("restart.always", policy.always());
    policy.always().stream()
        .filter(policy.never()::contains)
        .forEach(code -> add("restart.always", "names code " + code + ", which never names too"));
  }

  private void pause(String field, Duration pause) {
    if (pause.isNegative() || pause.compareTo(LONGEST_PAUSE) > 0) {
      add(field, "takes zero to one day; received " + pause);
    }
  }

  private void codes(String field, Collection<Integer> codes) {
    codes.stream()
        .filter(code -> code < 1 || code > 255)
        .forEach(code -> add(field, "takes exit codes of 1 to 255; received " + code));
  }

  private void add(String field, String message) {
    problems.add(new Problem(field, message));
  }
}
