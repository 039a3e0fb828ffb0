// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Instance;
import dev.clustered.spi.Setting;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every backend keeps about its name, its settings, its beginning and its end. Not
 * thread-safe.
 */
@ExtendWith(NothingLeft.class)
public abstract class BackendLifecycleContract {

  @TempDir private Path directory;

  /** For subclasses. */
  protected BackendLifecycleContract() {}

  /** A new factory, as ServiceLoader would make it. */
  protected abstract BackendFactory factory();

  /** Settings that differ from the defaults, with which two nodes can be launched. */
  protected Map<String, String> settings() {
    return Map.of();
  }

  /** For settings of the backend, each a value that it cannot use; at least one. */
  protected abstract Map<String, String> unusableSettings();

  /** As in {@link CapacityContract#bootstrapDocument}. */
  protected abstract String bootstrapDocument(NodeId node);

  @Test
  void hasANameThatFitsEveryLabel() {
    assertThat(factory().name()).matches("[a-z][a-z0-9-]{0,62}");
    assertThat(factory().name()).isEqualTo(factory().name());
  }

  @Test
  void declaresEverySettingWithADefaultAndADescription() {
    List<Setting> settings = factory().settings();
    assertThat(settings).extracting(Setting::key).doesNotHaveDuplicates();
    for (Setting setting : settings) {
      assertThat(setting.key()).matches("[a-z][a-z0-9]*(-[a-z0-9]+)*");
      assertThat(setting.defaultValue()).as("default of %s", setting.key()).isNotNull();
      assertThat(setting.description()).as("description of %s", setting.key()).isNotBlank();
    }
    assertThat(settings).extracting(Setting::key).containsAll(settings().keySet());
  }

  @Test
  void refusesASettingItDoesNotKnow() {
    ClusterException refused = refusal(Map.of("no-such-setting", "some-value"));
    assertThat(refused).hasMessageContaining("no-such-setting");
  }

  @Test
  void refusesEveryUnusableValueAndNamesItsSetting() {
    assertThat(unusableSettings()).as("the contract needs an unusable setting").isNotEmpty();
    unusableSettings()
        .forEach(
            (key, value) -> {
              ClusterException refused = refusal(Map.of(key, value));
              assertThat(refused).hasMessageContaining(key);
              if (secret(key)) {
                assertThat(refused.toString()).doesNotContain(value);
              } else {
                assertThat(refused).hasMessageContaining(value);
              }
            });
  }

  @Test
  void endsWhatItLaunchedWhenItIsClosed() throws InterruptedException {
    TestedBackend tested = open(directory);
    try (tested) {
      tested.capacity().launch(tested.request("held", tested.offerFor(2), 2));
    }
    tested.close();
  }

  @Test
  void opensAndClosesWithoutLaunching() {
    TestedBackend tested = open(directory);
    assertThat(tested.backend().features()).isEqualTo(tested.backend().features());
    tested.close();
    tested.close();
  }

  @Test
  void doesNotDisturbAnotherBackendOfTheSameJvm() throws Exception {
    TestedBackend first = open(Files.createDirectory(directory.resolve("first")));
    try (first;
        TestedBackend second = open(Files.createDirectory(directory.resolve("second")))) {
      first.capacity().launch(first.request("same", first.offerFor(1), 1));
      List<Instance> held =
          second.capacity().launch(second.request("other", second.offerFor(1), 1));
      first.close();
      assertThat(second.alive("owner-a"))
          .extracting(Instance::id)
          .containsAll(TestedBackend.ids(held));
      assertThat(second.capacity().offers()).isNotEmpty();
    }
  }

  @Test
  void keepsNoStateInStaticFields() throws IOException {
    List<Field> mutable = StaticState.of(factory().getClass());
    assertThat(mutable).as("static fields that can hold state").isEmpty();
  }

  private TestedBackend open(Path own) {
    return TestedBackend.open(factory(), settings(), own, this::bootstrapDocument);
  }

  private ClusterException refusal(Map<String, String> settings) {
    BackendFactory factory = factory();
    ClusterException refused =
        catchThrowableOfType(
            ClusterException.class,
            () -> factory.create(TestedBackend.context(factory, settings, directory)).close());
    assertThat(refused).as("the refusal of %s", settings.keySet()).isNotNull();
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING);
    return refused;
  }

  private boolean secret(String key) {
    return factory().settings().stream()
        .filter(setting -> setting.key().equals(key))
        .anyMatch(setting -> setting.visibility() == Setting.Visibility.SECRET);
  }
}
