// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.groups.Tuple.tuple;

import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingTextTest {

  @Test
  void needsNoSettingOnALaptop() {
    assertThat(new LocalBackendFactory().settings())
        .extracting(Setting::key, Setting::defaultValue)
        .containsExactly(
            tuple("zones", "local-a"),
            tuple("nodes", "64"),
            tuple("fabric-nodes", "64"),
            tuple("block-nodes", "8"),
            tuple(
                "shapes",
                "local.cpu cpus=2 memory=4GiB;"
                    + " local.gpu8 gpus=8 model=LOCAL cpus=16 memory=64GiB nics=1 rdma-gbps=400"),
            tuple("boot-time", "PT0S"),
            tuple("agents", "in-process"),
            tuple("directory", ""),
            tuple("hourly-price", "0"));
  }

  @Test
  void readsWhatItWrites() {
    assertThat(SettingText.read(LocalSettings.DEFAULTS, Map.of()))
        .isEqualTo(LocalSettings.DEFAULTS);
  }

  @Test
  void readsEverySetting() {
    LocalSettings read =
        SettingText.read(
            LocalSettings.DEFAULTS,
            Map.of(
                "zones", "a , b",
                "nodes", "6",
                "fabric-nodes", "3",
                "block-nodes", "2",
                "shapes", "tiny memory=512MiB ; big gpus=2 cpus=4",
                "boot-time", "PT1.5S",
                "agents", "outliving",
                "directory", "/var/lib/nodes/",
                "hourly-price", "1.25"));
    assertThat(read.zones()).containsExactly("a", "b");
    assertThat(read.nodes()).isEqualTo(6);
    assertThat(read.fabricNodes()).isEqualTo(3);
    assertThat(read.blockNodes()).isEqualTo(2);
    assertThat(read.shapes())
        .containsExactly(
            new Shape("tiny", new Resources(0, "", 0, ByteSize.mebibytes(512)), 0, 0),
            new Shape("big", new Resources(2, "", 4, ByteSize.ZERO), 0, 0));
    assertThat(read.bootTime()).isEqualTo(Duration.ofMillis(1_500));
    assertThat(read.agents()).isEqualTo(AgentPlace.OUTLIVING);
    assertThat(read.directory()).contains(Path.of("/var/lib/nodes"));
    assertThat(read.hourlyPrice()).isEqualByComparingTo("1.25");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zones|''",
        "zones|a,a",
        "zones|Upper",
        "nodes|0",
        "nodes|100001",
        "nodes|99999999999",
        "fabric-nodes|some",
        "block-nodes|''",
        "shapes|''",
        "shapes|a;a",
        "shapes|a cpus=-1",
        "shapes|a cpus=1 cpus=2",
        "shapes|a cpus",
        "shapes|a memory=4XB",
        "shapes|a memory=GiB",
        "shapes|a memory=9999999999999TiB",
        "shapes|a speed=3",
        "boot-time|soon",
        "boot-time|PT-1S",
        "agents|IN_PROCESS",
        "directory|nodes",
        "hourly-price|free",
        "hourly-price|-1"
      })
  void refusesAnUnusableValueWithKeyValueAndRule(String key, String value) {
    ClusterException refused =
        catchThrowableOfType(
            ClusterException.class,
            () -> SettingText.read(LocalSettings.DEFAULTS, Map.of(key, value)));
    assertThat(refused).as("the refusal of %s=%s", key, value).isNotNull();
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING);
    assertThat(refused).hasMessageContainingAll(key, "\"" + value + "\"", "it takes:");
  }

  @Test
  void makesTheBuildersValuesTheDefaultsOfTheFactory() {
    BackendFactory factory =
        LocalBackend.builder()
            .zone("here")
            .zone("there")
            .nodes(4)
            .fabricNodes(2)
            .blockNodes(1)
            .shape(new Shape("odd", new Resources(1, "X1", 3, new ByteSize(1_000)), 2, 100))
            .bootTime(Duration.ofMillis(20))
            .hourlyPrice(new BigDecimal("0.50"))
            .agents(AgentPlace.OUTLIVING)
            .directory(Path.of("/var/lib/nodes"))
            .factory();
    assertThat(factory.settings())
        .extracting(Setting::defaultValue)
        .containsExactly(
            "here, there",
            "4",
            "2",
            "1",
            "odd gpus=1 model=X1 cpus=3 memory=1000B nics=2 rdma-gbps=100",
            "PT0.02S",
            "outliving",
            "/var/lib/nodes",
            "0.50");
  }

  @Test
  void refusesAnUnusableValueOfTheBuilderAtOnce() {
    ClusterException refused =
        catchThrowableOfType(
            ClusterException.class, () -> LocalBackend.builder().nodes(0).factory());
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING);
    assertThat(refused).hasMessageContainingAll("nodes", "\"0\"");
  }
}
