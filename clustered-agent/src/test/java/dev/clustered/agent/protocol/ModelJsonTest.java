// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.Secret;
import dev.clustered.model.WaitReason;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JacksonException;

/** Every value of the model reads back from JSON as it was written. */
class ModelJsonTest {

  private static final int TRIES = 200;
  private static final String MODEL = "dev/clustered/model";

  /** All public records, enums and sealed interfaces of the model, as they are compiled. */
  static Stream<Class<?>> values() throws IOException, URISyntaxException {
    List<Class<?>> found =
        names().stream()
            .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
            .map(name -> load("dev.clustered.model." + name.replace(".class", "")))
            .filter(type -> type.isRecord() || type.isEnum() || isSealedInterface(type))
            .filter(type -> Modifier.isPublic(type.getModifiers()))
            .sorted(Comparator.comparing(Class::getName))
            .<Class<?>>map(type -> type)
            .toList();
    assertThat(found).hasSizeGreaterThan(40);
    return found.stream();
  }

  private static boolean isSealedInterface(Class<?> type) {
    return type.isInterface() && type.isSealed();
  }

  /** The files of the model's package, which lies in a directory or a jar. */
  private static List<String> names() throws IOException, URISyntaxException {
    Path place =
        Path.of(ClusterId.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isDirectory(place)) {
      return names(place.resolve(MODEL));
    }
    try (FileSystem jar = FileSystems.newFileSystem(place)) {
      return names(jar.getPath(MODEL));
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("values")
  void readsBackAsItWasWritten(Class<?> type) {
    long seed = System.nanoTime();
    RandomValues random = new RandomValues(seed);
    for (int i = 0; i < TRIES; i++) {
      Object value = random.value(type);
      String json = Json.mapper().writerFor(type).writeValueAsString(value);
      assertThat(Json.mapper().readValue(json, type))
          .as("seed %d, try %d: %s", seed, i, json)
          .isEqualTo(value);
    }
  }

  @Test
  void theFormsAreStable() {
    ClusterId id = new ClusterId("c-1");
    Instant at = Instant.parse("2026-01-02T03:04:05Z");
    assertThat(json(id)).isEqualTo("\"c-1\"");
    assertThat(json(ByteSize.kibibytes(2))).isEqualTo("2048");
    assertThat(json(new ProcessEnd.Signal(9))).isEqualTo("{\"type\":\"Signal\",\"signal\":9}");
    assertThat(json(new WaitReason.Behind(2, id)))
        .isEqualTo("{\"type\":\"Behind\",\"ahead\":2,\"head\":\"c-1\"}");
    Cause cause =
        new Cause(
            ErrorCode.RANK_FAILED,
            OptionalInt.of(3),
            Optional.of(new ProcessEnd.Code(7)),
            "rank 3 failed",
            List.of("rank 3 ended with exit code 7"));
    assertThat(
            json(new ClusterEvent.Verdict(id, at, ClusterExit.Outcome.FAILED, Optional.of(cause))))
        .isEqualTo(
            "{\"type\":\"Verdict\",\"cluster\":\"c-1\",\"at\":\"2026-01-02T03:04:05Z\","
                + "\"outcome\":\"FAILED\",\"cause\":{\"code\":\"RANK_FAILED\",\"rank\":3,"
                + "\"end\":{\"type\":\"Code\",\"code\":7},\"message\":\"rank 3 failed\","
                + "\"evidence\":[\"rank 3 ended with exit code 7\"]}}");
  }

  private static String json(Object value) {
    return Json.mapper().writeValueAsString(value);
  }

  /** What holds a secret in a program of somebody's own. */
  record Holder(String name, Secret token) {}

  @Test
  void aSecretIsWrittenAsAMarkerThatIsRefusedWhenItIsRead() {
    String json = json(new Holder("a", Secret.of("hidden-value")));
    assertThat(json).isEqualTo("{\"name\":\"a\",\"token\":\"***\"}");
    assertThatThrownBy(() -> Json.mapper().readValue(json, Holder.class))
        .isInstanceOf(JacksonException.class)
        .hasMessageContaining("without its value");
    String given = json.replace("***", "given");
    assertThat(Json.mapper().readValue(given, Holder.class).token()).isEqualTo(Secret.of("given"));
  }
}
