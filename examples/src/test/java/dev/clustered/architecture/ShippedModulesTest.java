// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is on the class path of the examples: jars in a whole build, folders before packaging. */
class ShippedModulesTest {

  private static final Map<String, Set<String>> EXPORTS =
      new TreeMap<>(
          Map.of(
              "dev.clustered", Set.of("dev.clustered", "dev.clustered.model", "dev.clustered.spi"),
              "dev.clustered.core", Set.of(),
              "dev.clustered.testkit", Set.of("dev.clustered.testkit")));

  private final Map<String, ModuleReference> modules = modules();

  @Test
  void holdEveryModuleOfTheBuild() {
    assertThat(modules.keySet())
        .contains(
            "dev.clustered",
            "dev.clustered.agent",
            "dev.clustered.core",
            "dev.clustered.testkit",
            "dev.clustered.backend.local",
            "dev.clustered.backend.aws",
            "dev.clustered.backend.gcp",
            "dev.clustered.rdma",
            "dev.clustered.gvisor",
            "dev.clustered.store.jdbc");
  }

  @Test
  void exportTheApiAndTheTestkitAndNothingOfTheEngine() {
    EXPORTS.forEach(
        (name, packages) ->
            assertThat(descriptor(name).exports().stream().filter(e -> !e.isQualified()))
                .as("exports of %s", name)
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrderElementsOf(packages));
  }

  @Test
  void needNoLibraryForTheApi() {
    assertThat(descriptor("dev.clustered").requires())
        .filteredOn(r -> !r.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactly("java.base");
  }

  @Test
  void offerTheSameServicesOnTheClassPathAsOnTheModulePath() throws IOException {
    Map<String, List<String>> byModules = new TreeMap<>();
    Map<String, List<String>> byFiles = new TreeMap<>();
    for (ModuleReference module : modules.values()) {
      for (ModuleDescriptor.Provides provided : module.descriptor().provides()) {
        byModules.put(module.descriptor().name() + " " + provided.service(), provided.providers());
      }
      byFiles.putAll(services(module));
    }
    assertThat(byFiles).isEqualTo(byModules).isNotEmpty();
  }

  private static Map<String, List<String>> services(ModuleReference module) throws IOException {
    Map<String, List<String>> found = new TreeMap<>();
    try (var reader = module.open();
        Stream<String> names = reader.list()) {
      Set<String> files =
          names
              .filter(name -> name.startsWith("META-INF/services/") && !name.endsWith("/"))
              .collect(Collectors.toCollection(TreeSet::new));
      for (String file : files) {
        String text =
            new String(
                reader.open(file).orElseThrow().readAllBytes(),
                java.nio.charset.StandardCharsets.UTF_8);
        String service = file.substring("META-INF/services/".length());
        found.put(
            module.descriptor().name() + " " + service,
            text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList());
      }
    }
    return found;
  }

  private ModuleDescriptor descriptor(String name) {
    ModuleReference module = modules.get(name);
    assertThat(module).as("module %s among %s", name, modules.keySet()).isNotNull();
    return module.descriptor();
  }

  private static Map<String, ModuleReference> modules() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(Files::exists)
        .filter(ShippedModulesTest::namedModule)
        .flatMap(path -> ModuleFinder.of(path).findAll().stream())
        .filter(module -> module.descriptor().name().startsWith("dev.clustered"))
        .collect(
            Collectors.toMap(
                module -> module.descriptor().name(), module -> module, (a, b) -> a, TreeMap::new));
  }

  private static boolean namedModule(Path path) {
    if (Files.isDirectory(path)) {
      return Files.exists(path.resolve("module-info.class"));
    }
    try (var jar = new java.util.jar.JarFile(path.toFile())) {
      return jar.getEntry("module-info.class") != null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
