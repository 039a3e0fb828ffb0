// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.wiring;

import com.google.inject.Guice;
import com.google.inject.Stage;
import dev.clustered.ClusterEngine;
import dev.clustered.ClusterListener;
import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.core.engine.Directories;
import dev.clustered.core.engine.Engine;
import dev.clustered.core.engine.EngineConfig;
import dev.clustered.core.engine.EngineIdentity;
import dev.clustered.core.engine.MemoryStore;
import dev.clustered.core.engine.Reign;
import dev.clustered.core.engine.journal.FactJson;
import dev.clustered.core.engine.journal.Written;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.StateStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Collects how an engine is to be, and opens it. */
final class EngineBuilder implements ClusterEngine.Builder {

  /** A cloud's launch of many nodes may take minutes. */
  private static final Duration BACKEND_CALL_LIMIT = Duration.ofMinutes(15);

  /** The leadership with a store that no other engine can open. */
  private static final Duration ALONE = Duration.ofDays(365);

  private final List<BackendFactory> factories = new ArrayList<>();
  private final Map<String, Map<String, String>> settings = new TreeMap<>();
  private final List<ClusterListener> listeners = new ArrayList<>();
  private Discovery discovery = Discovery.ON;
  private Duration idleNodeTime = Duration.ZERO;
  private Duration silenceLimit = Duration.ofSeconds(13);
  private Duration lease = Duration.ofSeconds(60);
  private Optional<Path> logDirectory = Optional.empty();
  private Optional<StateStore> store = Optional.empty();
  private Optional<Path> stateDirectory = Optional.empty();
  private Duration leadership = Duration.ofSeconds(10);
  private int firstPort = 21_000;
  private int lastPort = 28_999;

  @Override
  public EngineBuilder discovery(Discovery wanted) {
    discovery = wanted;
    return this;
  }

  @Override
  public EngineBuilder backend(BackendFactory factory) {
    factories.add(factory);
    return this;
  }

  @Override
  public EngineBuilder setting(String backend, String key, String value) {
    settings.computeIfAbsent(backend, name -> new TreeMap<>()).put(key, value);
    return this;
  }

  @Override
  public EngineBuilder listener(ClusterListener listener) {
    listeners.add(listener);
    return this;
  }

  @Override
  public EngineBuilder idleNodeTime(Duration time) {
    idleNodeTime = require("idleNodeTime", time, Duration.ZERO);
    return this;
  }

  @Override
  public EngineBuilder silenceLimit(Duration limit) {
    silenceLimit = require("silenceLimit", limit, Duration.ofMillis(100));
    return this;
  }

  @Override
  public EngineBuilder lease(Duration time) {
    lease = require("lease", time, Duration.ofMillis(100));
    return this;
  }

  @Override
  public EngineBuilder portRange(int first, int last) {
    if (first < 10_000 || last < first || last > 65_535) {
      throw invalid("portRange", first + " to " + last, "10000 <= first <= last <= 65535");
    }
    firstPort = first;
    lastPort = last;
    return this;
  }

  @Override
  public EngineBuilder logDirectory(Path directory) {
    logDirectory = Optional.of(directory);
    return this;
  }

  @Override
  public EngineBuilder store(StateStore journal) {
    store = Optional.of(journal);
    return this;
  }

  @Override
  public EngineBuilder directory(Path directory) {
    stateDirectory = Optional.of(directory.toAbsolutePath().normalize());
    return this;
  }

  @Override
  public EngineBuilder leadership(Duration time) {
    leadership = require("leadership", time, Duration.ofMillis(500));
    return this;
  }

  private static Duration require(String setting, Duration value, Duration least) {
    if (value.compareTo(least) < 0 || value.compareTo(Duration.ofDays(3_650)) > 0) {
      throw invalid(setting, value, least + " to ten years");
    }
    return value;
  }

  private static ClusterException invalid(String setting, Object value, String right) {
    return new ClusterException(
        ErrorCode.INVALID_SETTING,
        "the engine's %s takes %s; received %s".formatted(setting, right, value));
  }

  @Override
  public ClusterEngine open() {
    return openEngine();
  }

  Engine openEngine() {
    if (lease.compareTo(silenceLimit) <= 0) {
      throw invalid("lease", lease, "a time longer than the silence limit " + silenceLimit);
    }
    logDirectory.ifPresent(logs -> requireWritable("logDirectory", logs));
    stateDirectory.ifPresent(state -> requireWritable("directory", state));
    StateStore journal = store.orElseGet(MemoryStore::new);
    Reign reign = await(journal);
    try {
      Path directory = stateDirectory.map(EngineBuilder::life).orElseGet(EngineBuilder::temporary);
      try {
        return open(directory, journal, reign);
      } catch (RuntimeException | Error e) {
        // Errors too: an artifact that is missing from the class path shows as one.
        delete(directory, e);
        throw e;
      }
    } catch (RuntimeException | Error e) {
      reign.close();
      throw e;
    }
  }

  /** Only for the one that leads: whoever led before may have written meanwhile. */
  private Engine open(Path directory, StateStore journal, Reign reign) {
    EngineIdentity identity = identity(journal);
    EngineConfig config = config(identity, reign.epoch(), directory, journal);
    FactJson json = new FactJson(identity.key());
    BackendRegistry backends =
        BackendRegistry.open(
            allFactories(), settings, config.clock(), directory, BACKEND_CALL_LIMIT);
    Engine engine =
        Guice.createInjector(
                Stage.PRODUCTION,
                new EngineModule(config, backends, reign, Written.read(journal, json)))
            .getInstance(Engine.class);
    EngineIdentity found = identity.at(engine.controlAddress().getPort());
    stateDirectory.ifPresent(found::write);
    return engine.start();
  }

  private Reign await(StateStore journal) {
    try {
      // Nobody else can lead with a journal in memory, however long this program stands still.
      return Reign.await(journal, store.isPresent() ? leadership : ALONE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException(
          ErrorCode.CANCELLED, "the engine was interrupted while another one led", e);
    }
  }

  private EngineIdentity identity(StateStore journal) {
    Optional<EngineIdentity> known = stateDirectory.flatMap(EngineIdentity::read);
    if (known.isEmpty() && Written.isAny(journal)) {
      throw new ClusterException(
          ErrorCode.INVALID_SETTING,
          "the store holds the clusters of an engine whose identity is not in %s; open it with the directory of that engine"
              .formatted(stateDirectory.map(Path::toString).orElse("a directory given")));
    }
    return known.orElseGet(() -> EngineIdentity.create(Instant.now()));
  }

  private EngineConfig config(
      EngineIdentity identity, long epoch, Path directory, StateStore journal) {
    return new EngineConfig(
        identity,
        epoch,
        directory,
        stateDirectory,
        logDirectory,
        InstantSource.system(),
        journal,
        listeners,
        idleNodeTime,
        silenceLimit,
        lease,
        firstPort,
        lastPort);
  }

  /** A factory that was handed over goes before a discovered one of its name. */
  private List<BackendFactory> allFactories() {
    List<BackendFactory> all = new ArrayList<>(factories);
    if (discovery == Discovery.ON) {
      ClassLoader context = Thread.currentThread().getContextClassLoader();
      ClassLoader loader = context == null ? EngineBuilder.class.getClassLoader() : context;
      for (BackendFactory found : BackendRegistry.discover(loader)) {
        if (all.stream().noneMatch(given -> given.name().equals(found.name()))) {
          all.add(found);
        }
      }
    }
    return all;
  }

  private static void requireWritable(String setting, Path logs) {
    String right = "a directory that this program can make or may write to";
    try {
      Files.createDirectories(logs);
    } catch (IOException e) {
      throw invalid(setting, logs + " (" + e + ")", right);
    }
    if (!Files.isWritable(logs)) {
      throw invalid(setting, logs, right);
    }
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("clustered-");
    } catch (IOException e) {
      throw new UncheckedIOException("the engine cannot make a directory of its own", e);
    }
  }

  /** A place for this life alone; what an engine before this one left there is deleted. */
  private static Path life(Path state) {
    Path life = state.resolve("life");
    try {
      Directories.delete(life);
      return Files.createDirectory(
          life, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException("the engine cannot make its directory " + life, e);
    }
  }

  private static void delete(Path directory, Throwable failure) {
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
