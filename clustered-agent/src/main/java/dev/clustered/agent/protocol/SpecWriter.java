// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.Alias;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.Launcher;
import dev.clustered.model.PhaseTimeouts;
import dev.clustered.model.Resources;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Role;
import dev.clustered.model.SuccessPolicy;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;

/** Writes a specification as {@link SpecReader} reads it. Stateless and thread-safe. */
final class SpecWriter extends ValueSerializer<ClusterSpec> {

  /** What stands in the place of a secret's value. */
  static final String SECRET = "***";

  @Override
  public void serialize(ClusterSpec spec, JsonGenerator json, SerializationContext context) {
    json.writeStartObject();
    json.writeStringProperty("name", spec.name());
    json.writeNumberProperty("nodes", spec.nodes());
    if (spec.minimumNodes() != spec.nodes()) {
      json.writeNumberProperty("minimumNodes", spec.minimumNodes());
    }
    roles(spec.roles(), json, context);
    if (spec.spares() != 0) {
      json.writeNumberProperty("spares", spec.spares());
    }
    spec.shape().ifPresent(shape -> json.writeStringProperty("shape", shape));
    spec.resources().ifPresent(each -> resources(each, json));
    if (says(spec)) {
      json.writeName("workload");
      workload(spec.workload(), json, context);
    }
    launcher(spec.launcher(), json);
    aliases(spec.aliases(), json);
    json.writeObjectPropertyStart("environment");
    spec.environment().forEach(json::writeStringProperty);
    json.writeEndObject();
    json.writeObjectPropertyStart("secrets");
    spec.secrets().keySet().forEach(variable -> json.writeStringProperty(variable, SECRET));
    json.writeEndObject();
    json.writeObjectPropertyStart("files");
    spec.files().forEach(json::writeBinaryProperty);
    json.writeEndObject();
    sent(spec, json);
    volumes(spec.volumes(), json);
    json.writeStringProperty("grace", spec.grace().toString());
    spec.timeLimit().ifPresent(limit -> json.writeStringProperty("timeLimit", limit.toString()));
    spec.logLimit().ifPresent(limit -> json.writeNumberProperty("logLimit", limit.bytes()));
    timeouts(spec.timeouts(), json);
    spec.hangPolicy().ifPresent(policy -> hang(policy, json));
    restart(spec.restartPolicy(), json);
    if (spec.successPolicy() != SuccessPolicy.ALL_RANKS) {
      json.writeStringProperty("success", spec.successPolicy().name());
    }
    json.writeEndObject();
  }

  /**
   * Whether its workload is more than the first role's, which stands for it where none was said.
   */
  private static boolean says(ClusterSpec spec) {
    List<Role> roles = spec.roles();
    return roles.isEmpty()
        || roles.stream().anyMatch(role -> role.workload().isEmpty())
        || !roles.getFirst().workload().equals(Optional.of(spec.workload()));
  }

  private static void roles(List<Role> roles, JsonGenerator json, SerializationContext context) {
    if (roles.isEmpty()) {
      return;
    }
    json.writeArrayPropertyStart("roles");
    for (Role role : roles) {
      json.writeStartObject();
      json.writeStringProperty("name", role.name());
      json.writeNumberProperty("nodes", role.nodes());
      role.workload()
          .ifPresent(
              own -> {
                json.writeName("workload");
                workload(own, json, context);
              });
      json.writeObjectPropertyStart("environment");
      role.environment().forEach(json::writeStringProperty);
      json.writeEndObject();
      if (!role.endsByItself()) {
        json.writeBooleanProperty("untilOthersEnd", true);
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void resources(Resources each, JsonGenerator json) {
    json.writeObjectPropertyStart("resources");
    json.writeNumberProperty("gpus", each.gpus());
    json.writeStringProperty("gpuModel", each.gpuModel());
    json.writeNumberProperty("cpus", each.cpus());
    json.writeNumberProperty("memory", each.memory().bytes());
    json.writeEndObject();
  }

  private static void workload(
      Workload workload, JsonGenerator json, SerializationContext context) {
    json.writeStartObject();
    json.writeStringProperty("type", workload.getClass().getSimpleName());
    switch (workload) {
      case Workload.Command command -> {
        json.writeArrayPropertyStart("arguments");
        command.arguments().forEach(json::writeString);
        json.writeEndArray();
      }
      case Workload.Script script -> json.writeStringProperty("text", script.text());
      case Workload.Task task -> {
        json.writeStringProperty("className", task.className());
        task.input()
            .ifPresent(
                input -> {
                  json.writeName("input");
                  context.writeValue(json, input);
                });
      }
    }
    json.writeEndObject();
  }

  /** The plain one is what a specification has that names none. */
  private static void launcher(Launcher launcher, JsonGenerator json) {
    if (launcher instanceof Launcher.Plain) {
      return;
    }
    json.writeObjectPropertyStart("launcher");
    json.writeStringProperty("type", launcher.getClass().getSimpleName());
    switch (launcher) {
      case Launcher.Torchrun torchrun -> json.writeBooleanProperty("elastic", torchrun.elastic());
      case Launcher.Direct direct -> processes(direct.processes(), json);
      case Launcher.Mpi mpi -> processes(mpi.processes(), json);
      default -> {}
    }
    json.writeEndObject();
  }

  private static void processes(OptionalInt processes, JsonGenerator json) {
    processes.ifPresent(count -> json.writeNumberProperty("processes", count));
  }

  private static void aliases(Set<Alias> aliases, JsonGenerator json) {
    if (!aliases.isEmpty()) {
      json.writeArrayPropertyStart("aliases");
      aliases.forEach(alias -> json.writeString(alias.name()));
      json.writeEndArray();
    }
  }

  private static void timeouts(PhaseTimeouts limits, JsonGenerator json) {
    if (limits.equals(PhaseTimeouts.DEFAULT)) {
      return;
    }
    json.writeObjectPropertyStart("timeouts");
    limits.queue().ifPresent(limit -> json.writeStringProperty("queue", limit.toString()));
    limits.boot().ifPresent(limit -> json.writeStringProperty("boot", limit.toString()));
    json.writeStringProperty("prepare", limits.prepare().toString());
    json.writeStringProperty("join", limits.join().toString());
    json.writeStringProperty("drain", limits.drain().toString());
    json.writeEndObject();
  }

  private static void hang(HangPolicy policy, JsonGenerator json) {
    json.writeObjectPropertyStart("hang");
    json.writeStringProperty("silent", policy.silent().toString());
    policy.heartbeat().ifPresent(limit -> json.writeStringProperty("heartbeat", limit.toString()));
    json.writeEndObject();
  }

  private static void restart(RestartPolicy policy, JsonGenerator json) {
    if (policy.equals(RestartPolicy.NEVER)) {
      return;
    }
    json.writeObjectPropertyStart("restart");
    json.writeNumberProperty("restarts", policy.restarts());
    if (!policy.budgets().isEmpty()) {
      json.writeObjectPropertyStart("budgets");
      policy.budgets().forEach((cause, own) -> json.writeNumberProperty(cause.name(), own));
      json.writeEndObject();
    }
    if (policy.withoutProgress() != 0) {
      json.writeNumberProperty("withoutProgress", policy.withoutProgress());
    }
    json.writeStringProperty("pause", policy.pause().toString());
    json.writeStringProperty("longestPause", policy.longestPause().toString());
    codes("never", policy.never(), json);
    codes("always", policy.always(), json);
    json.writeEndObject();
  }

  private static void codes(String field, Set<Integer> codes, JsonGenerator json) {
    json.writeArrayPropertyStart(field);
    codes.forEach(json::writeNumber);
    json.writeEndArray();
  }

  /** Paths alone: whoever reads them takes what is there on the machine of the reader. */
  private static void sent(ClusterSpec spec, JsonGenerator json) {
    if (!spec.localFiles().isEmpty()) {
      json.writeObjectPropertyStart("localFiles");
      spec.localFiles().forEach((path, local) -> json.writeStringProperty(path, local.toString()));
      json.writeEndObject();
    }
    spec.directory()
        .ifPresent(
            directory -> {
              json.writeObjectPropertyStart("directory");
              json.writeStringProperty("path", directory.path().toString());
              json.writeArrayPropertyStart("excludes");
              directory.excludes().forEach(json::writeString);
              json.writeEndArray();
              json.writeEndObject();
            });
  }

  private static void volumes(List<Volume> volumes, JsonGenerator json) {
    json.writeArrayPropertyStart("volumes");
    for (Volume volume : volumes) {
      json.writeStartObject();
      json.writeStringProperty("path", volume.path());
      json.writeStringProperty("source", volume.source());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
