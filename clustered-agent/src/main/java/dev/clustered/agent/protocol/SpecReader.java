// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.Alias;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.InvalidSpecException.Problem;
import dev.clustered.model.Launcher;
import dev.clustered.model.PhaseTimeouts;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Role;
import dev.clustered.model.Secret;
import dev.clustered.model.SentDirectory;
import dev.clustered.model.SuccessPolicy;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;

/**
 * Reads a specification as {@link SpecWriter} writes it; what is left out has the default of the
 * builder. Throws an {@link InvalidSpecException} with every problem: fields that there are not,
 * values of another kind, and all that the builder refuses. Stateless and thread-safe.
 */
final class SpecReader extends ValueDeserializer<ClusterSpec> {

  /** Stands in for a name or a workload whose problem is noted already. */
  private static final String UNREAD = "unread";

  @Override
  public ClusterSpec deserialize(JsonParser parser, DeserializationContext context) {
    return new Reading(context.readTree(parser)).spec();
  }

  /** The reading of one specification. */
  private static final class Reading {
    private final List<Problem> problems = new ArrayList<>();
    private final JsonFields fields;
    private final ClusterSpec.Builder spec;

    Reading(JsonNode tree) {
      fields = new JsonFields("", tree, problems);
      spec = ClusterSpec.builder(fields.requiredText("name").orElse(UNREAD));
    }

    ClusterSpec spec() {
      fields.whole("nodes").ifPresent(spec::nodes);
      fields
          .whole("minimumNodes")
          .ifPresent(least -> spec.nodes(least, fields.whole("nodes").orElse(1)));
      fields.whole("spares").ifPresent(spec::spares);
      fields.text("shape").ifPresent(spec::shape);
      fields.object("resources").ifPresent(this::resources);
      workload();
      roles();
      fields.object("launcher").flatMap(this::launcher).ifPresent(spec::launcher);
      fields.list("aliases").forEach(this::alias);
      fields.object("environment").ifPresent(this::environment);
      fields.object("secrets").ifPresent(this::secrets);
      fields.object("files").ifPresent(this::files);
      fields.object("localFiles").ifPresent(this::localFiles);
      fields.object("directory").ifPresent(this::directory);
      List<JsonNode> volumes = fields.list("volumes");
      for (int i = 0; i < volumes.size(); i++) {
        volume(new JsonFields("volumes[" + i + "]", volumes.get(i), problems));
      }
      fields.duration("grace").ifPresent(spec::grace);
      fields.duration("timeLimit").ifPresent(spec::timeLimit);
      fields.size("logLimit").map(ByteSize::new).ifPresent(spec::logLimit);
      fields.object("timeouts").ifPresent(this::timeouts);
      fields.object("hang").ifPresent(this::hang);
      fields.object("restart").ifPresent(this::restart);
      fields.text("success").ifPresent(this::success);
      fields.end();
      return build();
    }

    private ClusterSpec build() {
      try {
        ClusterSpec built = spec.build();
        if (problems.isEmpty()) {
          return built;
        }
      } catch (InvalidSpecException e) {
        problems.addAll(e.problems());
      }
      throw new InvalidSpecException(problems);
    }

    private void resources(JsonFields each) {
      spec.gpus(each.text("gpuModel").orElse(""), each.whole("gpus").orElse(0));
      each.whole("cpus").ifPresent(spec::cpus);
      each.size("memory").map(ByteSize::new).ifPresent(spec::memory);
      each.end();
    }

    private void workload() {
      int before = problems.size();
      Optional<Workload> read = fields.object("workload").flatMap(this::workload);
      if (read.isPresent()) {
        spec.workload(read.get());
      } else if (problems.size() > before) {
        spec.command(UNREAD);
      }
    }

    private Optional<Workload> workload(JsonFields work) {
      Optional<Workload> read =
          switch (work.requiredText("type").orElse("")) {
            case "Command" -> Optional.of(new Workload.Command(texts(work, "arguments")));
            case "Script" -> work.requiredText("text").map(Workload.Script::new);
            case "Task" -> {
              Optional<Object> input = work.value("input").map(value -> value);
              yield work.requiredText("className").map(name -> new Workload.Task(name, input));
            }
            case "" -> Optional.empty();
            default -> {
              work.add("type", "takes Command, Script or Task");
              yield Optional.empty();
            }
          };
      if (read.isPresent()) {
        work.end();
      }
      return read;
    }

    private void roles() {
      List<JsonNode> roles = fields.list("roles");
      for (int i = 0; i < roles.size(); i++) {
        spec.role(role(new JsonFields("roles[" + i + "]", roles.get(i), problems), UNREAD + i));
      }
    }

    /** The role, under another name where its own is missing. */
    private Role role(JsonFields role, String unread) {
      int before = problems.size();
      Optional<Workload> own = role.object("workload").flatMap(this::workload);
      if (own.isEmpty() && problems.size() > before) {
        own = Optional.of(new Workload.Command(List.of(UNREAD)));
      }
      Map<String, String> environment = new LinkedHashMap<>();
      role.object("environment")
          .ifPresent(
              variables -> {
                for (String variable : variables.names()) {
                  variables
                      .requiredText(variable)
                      .ifPresent(value -> environment.put(variable, value));
                }
              });
      Role.Until until =
          role.flag("untilOthersEnd").orElse(false) ? Role.Until.OTHERS_END : Role.Until.OWN_END;
      String name = role.requiredText("name").orElse(unread);
      int nodes = role.whole("nodes").orElse(1);
      role.end();
      return new Role(name, nodes, own, environment, until);
    }

    private static List<String> texts(JsonFields of, String field) {
      List<String> texts = new ArrayList<>();
      List<JsonNode> list = of.list(field);
      for (int i = 0; i < list.size(); i++) {
        JsonNode text = list.get(i);
        if (text.isString()) {
          texts.add(text.stringValue());
        } else {
          of.add(field + "[" + i + "]", JsonFields.expected("a text", text));
        }
      }
      return texts;
    }

    private Optional<Launcher> launcher(JsonFields launcher) {
      Optional<Launcher> read =
          switch (launcher.requiredText("type").orElse("")) {
            case "Plain" -> Optional.of(Launcher.plain());
            case "Torchrun" ->
                Optional.of(new Launcher.Torchrun(launcher.flag("elastic").orElse(false)));
            case "Accelerate" -> Optional.of(Launcher.accelerate());
            case "DeepSpeed" -> Optional.of(Launcher.deepSpeed());
            case "Jax" -> Optional.of(Launcher.jax());
            case "Direct" -> Optional.of(new Launcher.Direct(processes(launcher)));
            case "Mpi" -> Optional.of(new Launcher.Mpi(processes(launcher)));
            case "Ray" -> Optional.of(Launcher.ray());
            case "" -> Optional.empty();
            default -> {
              launcher.add(
                  "type", "takes Plain, Torchrun, Accelerate, DeepSpeed, Jax, Direct, Mpi or Ray");
              yield Optional.empty();
            }
          };
      if (read.isPresent()) {
        launcher.end();
      }
      return read;
    }

    private static OptionalInt processes(JsonFields launcher) {
      return launcher.whole("processes").map(OptionalInt::of).orElse(OptionalInt.empty());
    }

    private void timeouts(JsonFields limits) {
      PhaseTimeouts standard = PhaseTimeouts.DEFAULT;
      spec.timeouts(
          new PhaseTimeouts(
              limits.duration("queue"),
              limits.duration("boot"),
              limits.duration("prepare").orElse(standard.prepare()),
              limits.duration("join").orElse(standard.join()),
              limits.duration("drain").orElse(standard.drain())));
      limits.end();
    }

    private void hang(JsonFields hang) {
      int before = problems.size();
      Optional<Duration> silent = hang.duration("silent");
      Optional<Duration> heartbeat = hang.duration("heartbeat");
      if (silent.isPresent()) {
        spec.hang(new HangPolicy(silent.get(), heartbeat));
      } else if (problems.size() == before) {
        hang.add("silent", "is missing; takes a duration such as PT10M");
      }
      hang.end();
    }

    private void restart(JsonFields restart) {
      RestartPolicy policy = RestartPolicy.upTo(restart.whole("restarts").orElse(0));
      Duration pause = restart.duration("pause").orElse(policy.pause());
      Duration longest = restart.duration("longestPause").orElse(policy.longestPause());
      for (Map.Entry<RestartCause, Integer> own : budgets(restart).entrySet()) {
        policy = policy.withBudget(own.getKey(), own.getValue());
      }
      spec.restart(
          policy
              .withProgress(restart.whole("withoutProgress").orElse(0))
              .withPause(pause, longest)
              .withNever(codes(restart, "never"))
              .withAlways(codes(restart, "always")));
      restart.end();
    }

    private static Map<RestartCause, Integer> budgets(JsonFields restart) {
      Map<RestartCause, Integer> budgets = new TreeMap<>();
      restart
          .object("budgets")
          .ifPresent(
              own -> {
                for (RestartCause cause : RestartCause.values()) {
                  own.whole(cause.name()).ifPresent(count -> budgets.put(cause, count));
                }
                own.end();
              });
      return budgets;
    }

    private static Set<Integer> codes(JsonFields restart, String field) {
      Set<Integer> codes = new TreeSet<>();
      for (JsonNode code : restart.list(field)) {
        if (code.isInt()) {
          codes.add(code.intValue());
        } else {
          restart.add(field, JsonFields.expected("a whole number", code));
        }
      }
      return codes;
    }

    private void success(String name) {
      Arrays.stream(SuccessPolicy.values())
          .filter(known -> known.name().equals(name))
          .findFirst()
          .ifPresentOrElse(
              spec::success,
              () ->
                  fields.add("success", "takes one of " + Arrays.toString(SuccessPolicy.values())));
    }

    private void alias(JsonNode alias) {
      Arrays.stream(Alias.values())
          .filter(known -> alias.isString() && known.name().equals(alias.stringValue()))
          .findFirst()
          .ifPresentOrElse(
              spec::aliases,
              () -> fields.add("aliases", "takes any of " + Arrays.toString(Alias.values())));
    }

    private void environment(JsonFields variables) {
      for (String variable : variables.names()) {
        variables.requiredText(variable).ifPresent(value -> spec.environment(variable, value));
      }
    }

    private void secrets(JsonFields variables) {
      for (String variable : variables.names()) {
        Optional<String> value = variables.requiredText(variable);
        if (value.filter(SpecWriter.SECRET::equals).isPresent()) {
          variables.add(
              variable,
              "was written without its value, as every secret is; put the value in the place of "
                  + SpecWriter.SECRET
                  + " before reading");
        }
        value.ifPresent(text -> spec.secret(variable, Secret.of(text)));
      }
    }

    private void files(JsonFields files) {
      for (String path : files.names()) {
        try {
          files
              .requiredText(path)
              .map(text -> Base64.getDecoder().decode(text))
              .ifPresent(content -> spec.file(path, content));
        } catch (IllegalArgumentException e) {
          files.add(path, "takes its content in Base64");
        }
      }
    }

    private void localFiles(JsonFields files) {
      for (String path : files.names()) {
        files
            .requiredText(path)
            .flatMap(local -> local(files, path, local))
            .ifPresent(local -> spec.file(path, local));
      }
    }

    private void directory(JsonFields directory) {
      List<String> excludes = texts(directory, "excludes");
      directory
          .requiredText("path")
          .flatMap(local -> local(directory, "path", local))
          .ifPresent(local -> spec.directory(new SentDirectory(local, excludes)));
      directory.end();
    }

    private static Optional<Path> local(JsonFields fields, String field, String path) {
      try {
        return Optional.of(Path.of(path));
      } catch (InvalidPathException e) {
        fields.add(field, "is no path of this machine: " + JsonFields.printable(path));
        return Optional.empty();
      }
    }

    private void volume(JsonFields volume) {
      Optional<String> path = volume.requiredText("path");
      Optional<String> source = volume.requiredText("source");
      if (path.isPresent() && source.isPresent()) {
        spec.volume(new Volume(path.get(), source.get()));
      }
      volume.end();
    }
  }
}
