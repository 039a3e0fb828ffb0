// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.Lifetime;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FactJsonTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456789Z");

  private final FactJson json = new FactJson(EngineKey.random());

  private static Fact.Submitted submitted(ClusterSpec spec) {
    return new Fact.Submitted(
        new ClusterId("cl-1"),
        NOW,
        spec,
        Optional.empty(),
        Optional.of("local"),
        Optional.of(Duration.ofMinutes(3)),
        Optional.of("a key"),
        Lifetime.DETACHED);
  }

  private static ClusterSpec secretive() {
    return ClusterSpec.builder("x")
        .command("true")
        .secret("TOKEN", Secret.of("hidden-1"))
        .file("credentials", "hidden-2".getBytes(StandardCharsets.UTF_8))
        .environment("OPEN", "shown")
        .build();
  }

  @Test
  void aSubmissionComesBackWithItsSecretsAndFilesAndShowsNeither() {
    String written = json.write(submitted(secretive()));
    assertThat(written)
        .contains("shown", "TOKEN", "cl-1")
        .doesNotContain("hidden", "aGlkZGVu"); // Nor in Base64.
    Fact.Submitted read = (Fact.Submitted) json.read(written);
    assertThat(read.spec().secrets()).isEqualTo(Map.of("TOKEN", Secret.of("hidden-1")));
    assertThat(read.spec().files().get("credentials")).asString().isEqualTo("hidden-2");
    assertThat(read.key()).contains("a key");
    assertThat(read.lifetime()).isEqualTo(Lifetime.DETACHED);
    assertThat(read.at()).isEqualTo(NOW);
    assertThat(read.readyTimeout()).contains(Duration.ofMinutes(3));
  }

  @Test
  void anotherKeyOpensNothing() {
    String written = json.write(submitted(secretive()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FactJson(EngineKey.random()).read(written))
        .withMessageContaining("cl-1")
        .withMessageContaining("another key");
  }

  @Test
  void whatIsSealedForOneClusterIsNotOpenedForAnother() {
    String written = json.write(submitted(secretive()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> json.read(written.replace("\"cl-1\"", "\"cl-2\"")));
  }

  @Test
  void whatIsNoFactIsRefused() {
    for (String text : new String[] {"", "{}", "[]", "7", "{\"type\":\"Nonsense\"}", "{\"type\""}) {
      assertThatIllegalArgumentException().as(text).isThrownBy(() -> json.read(text));
    }
  }

  @Test
  void secretsOfOneKeyAreTheSameEachTimeAndDifferByPurposeAndParts() {
    EngineKey key = new EngineKey(new byte[EngineKey.BYTES]);
    EngineKey same = new EngineKey(new byte[EngineKey.BYTES]);
    assertThat(key.secret("join", "a")).isEqualTo(same.secret("join", "a")).hasSize(64);
    assertThat(key.secret("join", "a"))
        .isNotEqualTo(key.secret("session", "a"))
        .isNotEqualTo(key.secret("join", "a", ""))
        .isNotEqualTo(EngineKey.random().secret("join", "a"));
    assertThat(key.secret("join", "ab", "c")).isNotEqualTo(key.secret("join", "a", "bc"));
  }
}
