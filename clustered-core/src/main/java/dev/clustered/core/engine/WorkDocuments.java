// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.agent.protocol.WorkDocument.TaskLaunch;
import dev.clustered.core.engine.files.SentFiles;
import dev.clustered.core.rendezvous.HandOver;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.InvalidSpecException.Problem;
import dev.clustered.model.Role;
import dev.clustered.model.Workload;
import java.io.File;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/** Makes what the agents are given of a specification. */
final class WorkDocuments {

  /** Loading is most of a short task's life; the two settings halve it. */
  private static final List<String> JVM_ARGUMENTS =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4", "-Xshare:auto");

  private WorkDocuments() {}

  /** What the agents are given, the same for every rank of a role. */
  static Works of(ClusterSpec spec, SentFiles sent, EngineConfig config) {
    WorkDocument common = of(spec, spec.workload(), new LinkedHashMap<>(), sent, config);
    Map<String, WorkDocument> own = new LinkedHashMap<>();
    for (Role role : spec.roles()) {
      Workload workload = role.workload().orElse(spec.workload());
      own.put(role.name(), of(spec, workload, role.environment(), sent, config));
    }
    return new Works(common, own);
  }

  /**
   * The documents of a cluster.
   *
   * @param common for ranks without a role
   * @param own for those with one, by its name
   */
  record Works(WorkDocument common, Map<String, WorkDocument> own) {

    /** What a rank runs. */
    WorkDocument of(ClusterSpec spec, int rank) {
      return spec.role(rank).map(role -> own.get(role.name())).orElse(common);
    }
  }

  private static WorkDocument of(
      ClusterSpec spec,
      Workload workload,
      Map<String, String> more,
      SentFiles sent,
      EngineConfig config) {
    Map<String, String> environment = new LinkedHashMap<>(spec.environment());
    spec.secrets().forEach((variable, secret) -> environment.put(variable, secret.reveal()));
    environment.putAll(more);
    boolean task = workload instanceof Workload.Task;
    return new WorkDocument(
        task ? Optional.empty() : Optional.of(workload),
        workload instanceof Workload.Task asked ? Optional.of(task(asked)) : Optional.empty(),
        environment,
        spec.files(),
        sent.tree(),
        spec.volumes(),
        config.firstPort(),
        config.lastPort(),
        HandOver.ports(spec),
        spec.hangPolicy());
  }

  private static TaskLaunch task(Workload.Task task) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new TaskLaunch(
        java, classPath(), JVM_ARGUMENTS, task.className(), task.input().map(WorkDocuments::json));
  }

  /** Class path and module path together: the task's JVM looks everything up by class name. */
  private static String classPath() {
    String classes = System.getProperty("java.class.path", "");
    String modules = System.getProperty("jdk.module.path", "");
    boolean both = !classes.isEmpty() && !modules.isEmpty();
    return classes + (both ? File.pathSeparator : "") + modules;
  }

  private static String json(Object input) {
    try {
      return Json.mapper().writeValueAsString(input);
    } catch (JacksonException e) {
      throw new InvalidSpecException(
          List.of(
              new Problem(
                  "task",
                  "the input, a %s, cannot be written as JSON: %s"
                      .formatted(input.getClass().getName(), e.getOriginalMessage()))));
    }
  }
}
