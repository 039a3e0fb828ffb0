// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static dev.clustered.model.SpecValues.given;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a cluster is asked to be. Made by {@link #builder}, which checks it whole. Immutable and
 * thread-safe.
 */
public final class ClusterSpec {

  private final SpecValues values;
  private final Optional<Resources> resources;
  private final Workload workload;

  private ClusterSpec(SpecValues values) {
    this.values = values;
    this.resources = values.requested();
    this.workload = values.workload();
  }

  /**
   * Begins a specification: one whole node of any shape, 30 s of grace, no time limit, no restart.
   *
   * @param name for people, 1 to 200 characters without control characters; need not be unique
   */
  public static Builder builder(String name) {
    return new Builder(new SpecValues(given("name", name)));
  }

  /** A builder that starts from this specification. */
  public Builder toBuilder() {
    return new Builder(values.copy());
  }

  /** The name for people. */
  public String name() {
    return values.name;
  }

  /** How many nodes, and so ranks; 1 or more. The most of them where there may be fewer. */
  public int nodes() {
    return values.nodes();
  }

  /** With how many nodes an attempt may begin at least; {@link #nodes} unless said. */
  public int minimumNodes() {
    return values.minimumNodes.orElse(nodes());
  }

  /**
   * Who its ranks are, in rank order: those of the first role have the lowest ranks. Empty when all
   * are there for the same.
   */
  public List<Role> roles() {
    return values.roles;
  }

  /** The role of a rank; empty without roles, and for a rank that there is not. */
  public Optional<Role> role(int rank) {
    int before = 0;
    for (Role role : values.roles) {
      if (rank >= before && rank < before + role.nodes()) {
        return Optional.of(role);
      }
      before += role.nodes();
    }
    return Optional.empty();
  }

  /** How many nodes are held beside the ranks', to replace one that is lost. */
  public int spares() {
    return values.spares;
  }

  /** The only shape wanted, when one was named. */
  public Optional<String> shape() {
    return values.shape;
  }

  /** What each rank takes of its node; empty when it takes the whole node. */
  public Optional<Resources> resources() {
    return resources;
  }

  /** What every rank runs whose role has nothing of its own; the first role's if none was said. */
  public Workload workload() {
    return workload;
  }

  /** What makes processes of the command. */
  public Launcher launcher() {
    return values.launcher;
  }

  /** Whose variables every rank gets beside the contract. */
  public Set<Alias> aliases() {
    return values.aliases;
  }

  /** Variables for every rank, in the order given. */
  public Map<String, String> environment() {
    return values.environment;
  }

  /** Secret variables for every rank, in the order given. */
  public Map<String, Secret> secrets() {
    return values.secrets;
  }

  /** Files for every rank: content by path relative to the working directory; not to be changed. */
  public Map<String, byte[]> files() {
    return values.files;
  }

  /** Files of this machine for every rank, by path relative to the working directory. */
  public Map<String, Path> localFiles() {
    return values.localFiles;
  }

  /** The directory of this machine whose tree every rank finds in its working directory. */
  public Optional<SentDirectory> directory() {
    return values.directory;
  }

  /** Directories that outlive the cluster. */
  public List<Volume> volumes() {
    return values.volumes;
  }

  /** The time from SIGTERM to SIGKILL when a rank is ended. */
  public Duration grace() {
    return values.grace;
  }

  /** The longest that the workload may run, all attempts and the pauses between them together. */
  public Optional<Duration> timeLimit() {
    return values.timeLimit;
  }

  /** How much of each rank's log is kept in each attempt; the engine's own limit when empty. */
  public Optional<ByteSize> logLimit() {
    return values.logLimit;
  }

  /** How long each phase may take. */
  public PhaseTimeouts timeouts() {
    return values.timeouts;
  }

  /** When the workload counts as hung; empty when nobody looks. */
  public Optional<HangPolicy> hangPolicy() {
    return values.hangPolicy;
  }

  /** When the workload is run again after an attempt has failed. */
  public RestartPolicy restartPolicy() {
    return values.restartPolicy;
  }

  /** Whose success is the cluster's. */
  public SuccessPolicy successPolicy() {
    return values.successPolicy;
  }

  /** Name, size and what each rank takes; never an environment or a secret. */
  @Override
  public String toString() {
    return values.inWords();
  }

  /** Collects a specification; {@link #build} checks it. Not thread-safe; may be used again. */
  public static final class Builder extends WorkloadBuilder<Builder> {

    private Builder(SpecValues values) {
      super(values);
    }

    @Override
    Builder same() {
      return this;
    }

    /** How many nodes, and so ranks; 1 or more. Roles say so themselves. */
    public Builder nodes(int count) {
      values.nodes = Optional.of(count);
      values.minimumNodes = Optional.empty();
      return this;
    }

    /**
     * How many nodes at least and at most: it begins with as many as there are then, and goes on
     * with fewer when a node is lost for which there is no other and the restart policy covers the
     * loss. Ranks are numbered anew then, in their order; it does not grow again.
     */
    public Builder nodes(int minimum, int maximum) {
      values.nodes = Optional.of(maximum);
      values.minimumNodes = Optional.of(minimum);
      return this;
    }

    /** One more role; its ranks follow those of the roles before it. */
    public Builder role(Role next) {
      values.roles.add(given("role", next));
      return this;
    }

    /** How many nodes more are held, each to replace a lost one once; 0 unless said. */
    public Builder spares(int count) {
      values.spares = count;
      return this;
    }

    /** Only nodes of this shape, by the backend's name for it. */
    public Builder shape(String shapeName) {
      values.shape = Optional.of(given("shape", shapeName));
      return this;
    }

    /** GPUs for each rank, of any model. */
    public Builder gpus(int count) {
      return gpus("", count);
    }

    /** GPUs of a model for each rank, such as {@code gpus("H200", 8)}. */
    public Builder gpus(String model, int count) {
      values.gpuModel = given("GPU model", model);
      values.gpus = Optional.of(count);
      return this;
    }

    /** CPU cores for each rank. */
    public Builder cpus(int count) {
      values.cpus = Optional.of(count);
      return this;
    }

    /** Main memory for each rank. */
    public Builder memory(ByteSize size) {
      values.memory = Optional.of(given("memory", size));
      return this;
    }

    /** All that a rank takes of its node, in one value; without it a rank takes the whole node. */
    public Builder resources(Resources each) {
      return gpus(each.gpuModel(), each.gpus()).cpus(each.cpus()).memory(each.memory());
    }

    /** What makes processes of the command; {@link Launcher#plain} without it. */
    public Builder launcher(Launcher only) {
      values.launcher = given("launcher", only);
      return this;
    }

    /** Variables of other systems for every rank, so that scripts written for them run. */
    public Builder aliases(Alias... systems) {
      for (Alias system : given("aliases", systems)) {
        values.aliases.add(given("alias", system));
      }
      return this;
    }

    /** A variable for every rank, passed byte for byte. */
    public Builder environment(String variable, String value) {
      values.environment.put(
          given("environment", variable), given("environment " + variable, value));
      return this;
    }

    /** Variables for every rank, passed byte for byte. */
    public Builder environment(Map<String, String> variables) {
      given("environment", variables).forEach(this::environment);
      return this;
    }

    /** A secret variable for every rank. */
    public Builder secret(String variable, Secret value) {
      values.secrets.put(given("secret", variable), given("secret " + variable, value));
      return this;
    }

    /** A file for every rank at a path relative to its working directory. */
    public Builder file(String path, byte[] content) {
      values.files.put(given("file", path), given("file " + path, content).clone());
      return this;
    }

    /** A file of this machine, read at the launch, links followed, for every rank at that path. */
    public Builder file(String path, Path local) {
      Path source = given("file " + path, local).toAbsolutePath().normalize();
      values.localFiles.put(given("file", path), source);
      return this;
    }

    /** A directory of this machine, whose whole tree every rank finds in its working directory. */
    public Builder directory(Path local) {
      return directory(SentDirectory.of(given("directory", local)));
    }

    /** The same without what its patterns exclude; replaces any other directory. */
    public Builder directory(SentDirectory only) {
      values.directory = Optional.of(given("directory", only));
      return this;
    }

    /** A directory that outlives the cluster. */
    public Builder volume(Volume volume) {
      values.volumes.add(given("volume", volume));
      return this;
    }

    /** The time from SIGTERM to SIGKILL when a rank is ended; zero or more. */
    public Builder grace(Duration time) {
      values.grace = given("grace", time);
      return this;
    }

    /** The longest that the workload may run, restarts included; then it ends, TIME_LIMIT. */
    public Builder timeLimit(Duration limit) {
      values.timeLimit = Optional.of(given("time limit", limit));
      return this;
    }

    /** Keeps the first and the last half of so much of each log; 4 GiB unless said, or 1 MiB up. */
    public Builder logLimit(ByteSize limit) {
      values.logLimit = Optional.of(given("log limit", limit));
      return this;
    }

    /** How long each phase may take; {@link PhaseTimeouts#DEFAULT} unless said. */
    public Builder timeouts(PhaseTimeouts limits) {
      values.timeouts = given("timeouts", limits);
      return this;
    }

    /** When the workload counts as hung; never unless said. */
    public Builder hang(HangPolicy policy) {
      values.hangPolicy = Optional.of(given("hang policy", policy));
      return this;
    }

    /** When the workload is run again after an attempt has failed; never unless said. */
    public Builder restart(RestartPolicy policy) {
      values.restartPolicy = given("restart policy", policy);
      return this;
    }

    /** Whose success is the cluster's; every rank's unless said. */
    public Builder success(SuccessPolicy policy) {
      values.successPolicy = given("success policy", policy);
      return this;
    }

    /**
     * The checked specification.
     *
     * @throws InvalidSpecException with every problem and its field
     */
    @CheckReturnValue
    public ClusterSpec build() {
      List<InvalidSpecException.Problem> problems = SpecRules.problems(values);
      if (!problems.isEmpty()) {
        throw new InvalidSpecException(problems);
      }
      return new ClusterSpec(values.frozen());
    }
  }
}
