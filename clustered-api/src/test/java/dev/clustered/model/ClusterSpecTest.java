// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterSpecTest {

  private static final ClusterSpec FULL =
      ClusterSpec.builder("full")
          .nodes(16)
          .shape("p5en.48xlarge")
          .gpus("H200", 8)
          .cpus(96)
          .memory(ByteSize.gibibytes(512))
          .command("torchrun", "train.py")
          .environment("B", "2")
          .environment("A", "1")
          .secret("TOKEN", Secret.of("hidden-value"))
          .file("conf/a.json", "{}".getBytes(StandardCharsets.UTF_8))
          .volume(new Volume("data", "/srv/data"))
          .grace(Duration.ofSeconds(5))
          .timeLimit(Duration.ofHours(1))
          .build();

  @Test
  void comesBackTheSameFromItsOwnBuilder() {
    ClusterSpec copy = FULL.toBuilder().build();
    assertThat(copy).usingRecursiveComparison().isEqualTo(FULL);
    assertThat(List.copyOf(copy.environment().keySet())).containsExactly("B", "A");
  }

  @Test
  void isNotChangedByTheBuilderItCameFrom() {
    ClusterSpec.Builder builder = ClusterSpec.builder("x").command("true");
    ClusterSpec first = builder.build();
    ClusterSpec second =
        builder.nodes(2).environment("A", "1").file("f", new byte[0]).command("false").build();
    assertThat(first.nodes()).isEqualTo(1);
    assertThat(first.environment()).isEmpty();
    assertThat(first.files()).isEmpty();
    assertThat(first.workload()).isEqualTo(new Workload.Command(List.of("true")));
    assertThat(second.nodes()).isEqualTo(2);
  }

  @Test
  void isNotChangedThroughTheBytesOfAFile() {
    byte[] content = {1, 2, 3};
    ClusterSpec spec = ClusterSpec.builder("x").command("true").file("f", content).build();
    content[0] = 9;
    assertThat(spec.files().get("f")).containsExactly(1, 2, 3);
  }

  @Test
  void handsOutCollectionsThatCannotBeChanged() {
    Map<String, String> more = new LinkedHashMap<>(Map.of("C", "3"));
    assertThatThrownBy(() -> FULL.environment().putAll(more))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> FULL.volumes().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> FULL.secrets().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> FULL.files().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void keepsOnlyTheLastWorkload() {
    ClusterSpec spec =
        ClusterSpec.builder("x").command("true").task(String.class).script("#!/bin/sh\n").build();
    assertThat(spec.workload()).isEqualTo(new Workload.Script("#!/bin/sh\n"));
  }

  @Test
  void describesItselfWithoutValuesAndSecrets() {
    assertThat(FULL)
        .hasToString("full: 16 nodes, shape p5en.48xlarge, 8 × H200, 96 CPUs, 512 GiB each");
    assertThat(ClusterSpec.builder("x").command("true").build()).hasToString("x: 1 nodes, whole");
    assertThat(FULL.secrets().toString()).doesNotContain("hidden-value");
    assertThat(Secret.of("hidden-value")).hasToString("***");
  }

  @Test
  void comparesSecretsByValueWithoutShowingThem() {
    Secret secret = Secret.of("hidden-value");
    assertThat(secret).isEqualTo(Secret.of("hidden-value")).isNotEqualTo(Secret.of("other"));
    assertThat(secret.reveal()).isEqualTo("hidden-value");
  }
}
