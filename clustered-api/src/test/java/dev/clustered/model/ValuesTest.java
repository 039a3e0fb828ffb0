// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValuesTest {

  @Test
  void sizesShowTheLargestUnitThatDividesThem() {
    assertThat(ByteSize.ZERO).hasToString("0 B");
    assertThat(new ByteSize(1_023)).hasToString("1023 B");
    assertThat(ByteSize.kibibytes(1)).hasToString("1 KiB");
    assertThat(ByteSize.mebibytes(1_536)).hasToString("1536 MiB");
    assertThat(ByteSize.gibibytes(80)).hasToString("80 GiB");
    assertThat(ByteSize.gibibytes(2_048)).hasToString("2 TiB");
    assertThat(ByteSize.gibibytes(1)).isGreaterThan(ByteSize.mebibytes(1_023));
  }

  @Test
  void sizesAreNeitherNegativeNorTooLarge() {
    assertThatThrownBy(() -> new ByteSize(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> ByteSize.gibibytes(Long.MAX_VALUE))
        .isInstanceOf(ArithmeticException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0, PT0S",
    "1, -0.01, PT0S",
    "1, 0, PT-1S",
    "1, 1E999999999, PT0S",
    "1, 1E-31, PT0S"
  })
  void offersAreNeitherNegativeNorAbsurd(int available, BigDecimal price, Duration boot) {
    Shape shape = new Shape("s", Resources.NONE, 0, 0);
    assertThatThrownBy(() -> new Offer("b", shape, "z", Market.SPOT, price, boot, available))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(
            "received: s in z of b with available=%d, hourlyPrice=%s, bootTime=%s"
                .formatted(available, price, boot));
  }

  @Test
  void pathsShareTheirOutermostLevels() {
    TopologyPath first = TopologyPath.of("zone", "a", "fabric", "f", "rack", "1");
    TopologyPath second = TopologyPath.of("zone", "a", "fabric", "f", "rack", "2");
    TopologyPath elsewhere = TopologyPath.of("zone", "b", "fabric", "f", "rack", "1");
    assertThat(first.sharedDepth(second)).isEqualTo(2);
    assertThat(first.sharedDepth(elsewhere)).isZero();
    assertThat(first.sharedDepth(TopologyPath.of("zone", "a"))).isEqualTo(1);
    assertThat(first.at(TopologyPath.FABRIC)).contains("f");
    assertThat(first.at("host")).isEmpty();
    assertThat(first).hasToString("zone=a/fabric=f/rack=1");
  }

  @Test
  void pathsRefuseHalfAPairAndALevelThatStandsTwice() {
    assertThatThrownBy(() -> TopologyPath.of("zone"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 strings");
    assertThatThrownBy(() -> TopologyPath.of("zone", "a", "zone", "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("zone");
  }

  @Test
  void identifiersFitTheLabelsOfEveryCloud() {
    assertThat(new ClusterId("a-1").toString()).isEqualTo("a-1");
    for (String bad : List.of("", "A", "a_b", "ü", "a".repeat(64), "a\n")) {
      for (var make :
          List.<java.util.function.Function<String, Object>>of(
              ClusterId::new, NodeId::new, LaunchId::new)) {
        assertThatThrownBy(() -> make.apply(bad))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(Names.printable(bad));
      }
    }
  }

  @Test
  void printableNamesShowControlCharactersAsEscapes() {
    assertThat(Names.printable("a\n\0\u009f🚀")).isEqualTo("\"a\\u000a\\u0000\\u009f🚀\"");
    assertThat(Names.printable("")).isEqualTo("\"\"");
    assertThat(Names.printable("x".repeat(80))).isEqualTo("\"" + "x".repeat(80) + "\"");
    assertThat(Names.printable("x".repeat(81))).isEqualTo("\"" + "x".repeat(80) + "…\"");
  }

  @Test
  void printableNamesCannotEndTheirOwnQuotesOrTurnTheReadingDirection() {
    assertThat(Names.printable("a\"b\\")).isEqualTo("\"a\\\"b\\\\\"");
    assertThat(Names.printable("a\u202eb\u2028c")).isEqualTo("\"a\\u202eb\\u2028c\"");
  }

  @Test
  void resourcesHoldWhatFitsAndKeepCountOfTheRest() {
    Resources node = new Resources(8, "H200", 96, ByteSize.gibibytes(512));
    Resources part = new Resources(2, "", 24, ByteSize.gibibytes(128));
    assertThat(node.holds(part)).isTrue();
    assertThat(part.holds(node)).isFalse();
    assertThat(node.holds(new Resources(1, "B200", 0, ByteSize.ZERO))).isFalse();
    assertThat(node.holds(new Resources(0, "B200", 1, ByteSize.ZERO))).isTrue();
    assertThat(node.minus(part).plus(part)).isEqualTo(node);
    assertThatThrownBy(() -> part.minus(node)).isInstanceOf(IllegalArgumentException.class);
    assertThat(part).hasToString("2 × GPU, 24 CPUs, 128 GiB");
    assertThat(Resources.NONE).hasToString("no GPU, 0 CPUs, 0 B");
  }

  @Test
  void everyCodeOfAnErrorShowsInItsText() {
    ClusterException error = new ClusterException(ErrorCode.NODE_LOST, "node n-1 fell silent");
    assertThat(error.toString()).endsWith("ClusterException: NODE_LOST: node n-1 fell silent");
    assertThat(error.retryable()).isTrue();
    CapacityException capacity = new CapacityException("a", "small", 5, 3);
    assertThat(capacity).hasMessageContainingAll("5 nodes", "small", "zone a", "3");
    assertThat(Optional.of(capacity.code())).contains(ErrorCode.NO_CAPACITY);
  }
}
