// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** What the roles of a specification must obey, each and together. */
final class RoleRules {

  /** What asks for more than these is no design but a mistake: a role is no rank. */
  private static final int MOST_ROLES = 100;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  private final SpecValues spec;
  private final int mostNodes;
  private final BiConsumer<String, String> problems;

  private RoleRules(SpecValues spec, int mostNodes, BiConsumer<String, String> problems) {
    this.spec = spec;
    this.mostNodes = mostNodes;
    this.problems = problems;
  }

  /** Notes everything that is wrong as a field and what is wrong with it. */
  static void check(SpecValues spec, int mostNodes, BiConsumer<String, String> problems) {
    if (!spec.roles.isEmpty()) {
      RoleRules rules = new RoleRules(spec, mostNodes, problems);
      rules.names();
      rules.sizes();
      rules.ends();
      rules.launcher();
      for (int i = 0; i < spec.roles.size(); i++) {
        rules.role("roles[" + i + "]", spec.roles.get(i));
      }
    }
  }

  private void names() {
    if (spec.roles.size() > MOST_ROLES) {
      add("roles", "takes %d at most; received %d".formatted(MOST_ROLES, spec.roles.size()));
    }
    Set<String> seen = new LinkedHashSet<>();
    for (int i = 0; i < spec.roles.size(); i++) {
      String name = spec.roles.get(i).name();
      if (!NAME.matcher(name).matches()) {
        add(
            "roles[" + i + "].name",
            "takes 1 to 63 letters, digits, '.', '_' and '-', the first of them a letter or a"
                + " digit; received "
                + Names.printable(name));
      } else if (!seen.add(name)) {
        add("roles[" + i + "].name", "stands twice: " + Names.printable(name));
      }
    }
  }

  private void sizes() {
    for (int i = 0; i < spec.roles.size(); i++) {
      int nodes = spec.roles.get(i).nodes();
      if (nodes < 1 || nodes > mostNodes) {
        add("roles[" + i + "].nodes", "takes 1 to %d; received %d".formatted(mostNodes, nodes));
      }
    }
    if (spec.minimumNodes.filter(least -> least != spec.nodes()).isPresent()) {
      add(
          "minimumNodes",
          "has no meaning with roles, each of which has all its nodes or none; leave it out");
    }
    spec.nodes
        .filter(said -> said != spec.nodes())
        .ifPresent(
            said ->
                add(
                    "nodes",
                    "takes %d, the nodes of all roles together, or is left out; received %d"
                        .formatted(spec.nodes(), said)));
  }

  private void ends() {
    if (spec.roles.stream().noneMatch(Role::endsByItself)) {
      add(
          "roles",
          "have none that ends by itself, so that the cluster could never succeed; leave"
              + " untilOthersEnd out of one");
    }
    Role first = spec.roles.getFirst();
    if (spec.successPolicy == SuccessPolicy.LEADER && !first.endsByItself()) {
      add(
          "success",
          "LEADER waits for rank 0, and the first role, %s, may run for ever; give a role that ends"
                  .formatted(Names.printable(first.name()))
              + " by itself first");
    }
  }

  private void launcher() {
    switch (spec.launcher) {
      case Launcher.Plain plain -> {}
      case Launcher.Direct direct -> {}
      default ->
          add(
              "launcher",
              "%s makes one world of all nodes, and with roles they are not alike; leave the"
                      .formatted(LauncherRules.name(spec.launcher))
                  + " launcher out, or start one in a role's own command");
    }
  }

  private void role(String path, Role role) {
    if (role.workload().isEmpty() && spec.workloads.isEmpty()) {
      add(
          path + ".command",
          "is missing; give the role a command, a script or a task, or the specification one for"
              + " all roles");
    }
    role.workload()
        .ifPresent(
            own -> {
              WorkloadRules.check(path + ".", own, problems);
              LauncherRules.workload(spec.launcher, own)
                  .ifPresent(problem -> add("launcher", problem));
            });
    role.environment()
        .forEach(
            (variable, value) -> {
              EnvironmentRules.check(path + ".environment", variable, value, problems);
              if (spec.secrets.containsKey(variable)) {
                add(
                    path + ".environment",
                    "is a secret of the specification too: " + Names.printable(variable));
              }
            });
    if (LauncherRules.counts(spec.launcher)
        && role.environment().containsKey(LauncherRules.PROCESSES)) {
      add(
          path + ".environment",
          LauncherRules.PROCESSES + " is the same for all roles; give it to the specification");
    }
  }

  private void add(String field, String message) {
    problems.accept(field, message);
  }
}
