// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.core.backends.GuardedBackend;
import dev.clustered.core.lifecycle.Lifetime;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.InvalidSpecException.Problem;
import dev.clustered.model.Workload;
import dev.clustered.spi.Feature;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks a launch against the backends before it is taken in. */
final class Admission {

  private Admission() {}

  /**
   * The one backend that the launch is bound to, if it is bound.
   *
   * @throws InvalidSpecException when no backend could ever take it, with every reason
   */
  static Optional<String> backend(
      LaunchRequestForm form, BackendRegistry backends, EngineConfig config) {
    List<Problem> problems = new ArrayList<>();
    List<GuardedBackend> candidates = candidates(form, backends, problems);
    List<GuardedBackend> able = new ArrayList<>(candidates);
    for (Need need : needs(form)) {
      if (candidates.stream().noneMatch(backend -> backend.has(need.feature))) {
        problems.add(new Problem(need.field, need.refusal));
      }
      able.removeIf(backend -> !backend.has(need.feature));
    }
    if (form.rdma().isPresent() && form.spec().resources().isPresent()) {
      problems.add(
          new Problem(
              "resources",
              "RDMA takes whole nodes; leave resources out, or name a shape with the GPUs wanted"));
    }
    if (form.lifetime() == Lifetime.DETACHED && config.stateDirectory().isEmpty()) {
      problems.add(
          new Problem(
              "detached",
              "the engine has no directory that stays, so that no engine could go on with the"
                  + " cluster; open it with a directory and a store"));
    }
    if (form.lifetime() == Lifetime.DETACHED && form.spec().timeLimit().isEmpty()) {
      problems.add(
          new Problem(
              "timeLimit",
              "a detached cluster has one, since it may run without any engine; give the longest"
                  + " time that it may take"));
    }
    if (!problems.isEmpty()) {
      throw new InvalidSpecException(problems);
    }
    boolean bound = form.backend().isPresent() || able.size() < candidates.size();
    return bound ? able.stream().map(GuardedBackend::name).findFirst() : Optional.empty();
  }

  private static List<GuardedBackend> candidates(
      LaunchRequestForm form, BackendRegistry backends, List<Problem> problems) {
    List<String> names = backends.names();
    String known = names.isEmpty() ? "none" : String.join(", ", names);
    if (names.isEmpty()) {
      problems.add(
          new Problem(
              "backend", "the engine has none; put a backend's artifact on the class path"));
    }
    if (form.backend().isEmpty()) {
      return backends.all();
    }
    Optional<GuardedBackend> named = form.backend().flatMap(backends::find);
    if (named.isEmpty()) {
      String name = form.backend().orElse("");
      problems.add(
          new Problem(
              "backend", "\"%s\" is not known to this engine; it has: %s".formatted(name, known)));
    }
    return named.map(List::of).orElse(backends.all());
  }

  private record Need(Feature feature, String field, String refusal) {}

  private static List<Need> needs(LaunchRequestForm form) {
    List<Need> needs = new ArrayList<>();
    ClusterSpec spec = form.spec();
    if (form.lifetime() == Lifetime.DETACHED) {
      needs.add(
          new Need(
              Feature.OUTLIVING_NODES,
              "detached",
              "the nodes of every backend asked end with this program"));
    }
    form.rdma()
        .ifPresent(rdma -> needs.add(new Need(Feature.RDMA, "rdma", "no backend asked has RDMA")));
    boolean task =
        Stream.concat(
                Stream.of(spec.workload()),
                spec.roles().stream().flatMap(role -> role.workload().stream()))
            .anyMatch(Workload.Task.class::isInstance);
    if (task) {
      needs.add(
          new Need(
              Feature.HOST_CLASS_PATH,
              "task",
              "no backend asked can see this program's class path; use a command"));
    }
    if (!spec.volumes().isEmpty()) {
      needs.add(
          new Need(
              Feature.HOST_VOLUMES,
              "volume",
              "no backend asked can attach directories of this machine"));
    }
    return needs;
  }
}
