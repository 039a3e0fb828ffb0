// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.backends;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The backends of one engine by name. Thread-safe. */
public final class BackendRegistry implements AutoCloseable {

  private final Map<String, GuardedBackend> backends;

  private BackendRegistry(Map<String, GuardedBackend> backends) {
    this.backends = backends;
  }

  /** The factories that a class loader's service files name. */
  public static List<BackendFactory> discover(ClassLoader loader) {
    return ServiceLoader.load(BackendFactory.class, loader).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /**
   * Opens every backend.
   *
   * @param settings by backend name, then key
   * @param engineDirectory each backend gets a directory below it
   * @throws ClusterException when a name or setting is unknown or unusable; nothing is left open
   */
  public static BackendRegistry open(
      Collection<BackendFactory> factories,
      Map<String, Map<String, String>> settings,
      InstantSource clock,
      Path engineDirectory,
      Duration callLimit) {
    Map<String, BackendFactory> byName = byName(factories);
    settings.keySet().stream()
        .filter(name -> !byName.containsKey(name))
        .findFirst()
        .ifPresent(name -> unknown(name, byName.keySet()));
    Map<String, GuardedBackend> opened = new TreeMap<>();
    BackendRegistry registry = new BackendRegistry(opened);
    try {
      byName.forEach(
          (name, factory) -> {
            Map<String, String> values = values(factory, settings.getOrDefault(name, Map.of()));
            BackendContext context =
                new BackendContext(
                    values,
                    clock,
                    directory(engineDirectory.resolve("backends").resolve(name)),
                    engineDirectory);
            opened.put(name, new GuardedBackend(name, factory.create(context), callLimit));
          });
      return registry;
    } catch (RuntimeException e) {
      registry.close();
      throw e;
    }
  }

  private static Map<String, BackendFactory> byName(Collection<BackendFactory> factories) {
    Map<String, BackendFactory> byName = new TreeMap<>();
    for (BackendFactory factory : factories) {
      BackendFactory other = byName.put(factory.name(), factory);
      if (other != null && other.getClass() != factory.getClass()) {
        throw new ClusterException(
            ErrorCode.INVALID_SETTING,
            "two backends are named \"%s\": %s and %s; give the engine only one of them"
                .formatted(
                    factory.name(), other.getClass().getName(), factory.getClass().getName()));
      }
    }
    return byName;
  }

  private static Map<String, String> values(BackendFactory factory, Map<String, String> given) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Setting setting : factory.settings()) {
      values.put(setting.key(), given.getOrDefault(setting.key(), setting.defaultValue()));
    }
    for (String key : given.keySet()) {
      if (!values.containsKey(key)) {
        throw new ClusterException(
            ErrorCode.INVALID_SETTING,
            "the backend \"%s\" has no setting \"%s\"; it has: %s"
                .formatted(factory.name(), key, String.join(", ", values.keySet())));
      }
    }
    return values;
  }

  private static void unknown(String name, Collection<String> known) {
    throw new ClusterException(
        ErrorCode.UNKNOWN_BACKEND,
        "no backend \"%s\" is known to this engine; it has: %s. Put the backend's artifact on the class path"
                .formatted(name, known.isEmpty() ? "none" : String.join(", ", known))
            + " or give its factory to the engine's builder");
  }

  private static Path directory(Path path) {
    try {
      return Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException("the engine cannot make the directory " + path, e);
    }
  }

  /** The names, in order. */
  public List<String> names() {
    return List.copyOf(backends.keySet());
  }

  /** All backends, in the order of their names. */
  public List<GuardedBackend> all() {
    return new ArrayList<>(backends.values());
  }

  /** The backend of a name. */
  public Optional<GuardedBackend> find(String name) {
    return Optional.ofNullable(backends.get(name));
  }

  /**
   * The backend of a name.
   *
   * @throws ClusterException when there is none
   */
  public GuardedBackend require(String name) {
    GuardedBackend backend = backends.get(name);
    if (backend == null) {
      unknown(name, backends.keySet());
      throw new IllegalStateException(name);
    }
    return backend;
  }

  @Override
  public void close() {
    backends.values().forEach(GuardedBackend::close);
  }
}
