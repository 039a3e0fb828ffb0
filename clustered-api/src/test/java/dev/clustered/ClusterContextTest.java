// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterContextTest {

  private final Map<String, String> environment =
      new TreeMap<>(
          Map.of(
              "CLUSTERED_CLUSTER_ID", "c-1",
              "CLUSTERED_ATTEMPT", "2",
              "CLUSTERED_RANK", "1",
              "CLUSTERED_SIZE", "3",
              "CLUSTERED_ADDRESSES", "127.1.0.1,127.1.0.2,::1",
              "CLUSTERED_GPUS_PER_NODE", "8",
              "MASTER_PORT", "21000"));

  @Test
  void readsWhatEveryRankGets() throws Exception {
    ClusterContext context = ClusterContext.from(environment);
    assertThat(context.clusterId()).hasToString("c-1");
    assertThat(context.attempt()).isEqualTo(2);
    assertThat(context.rank()).isEqualTo(1);
    assertThat(context.size()).isEqualTo(3);
    assertThat(context.leader()).isFalse();
    assertThat(context.address()).isEqualTo(InetAddress.getByName("127.1.0.2"));
    assertThat(context.leaderAddress()).isEqualTo(InetAddress.getByName("127.1.0.1"));
    assertThat(context.addresses()).hasSize(3);
    assertThat(context.leaderPort()).isEqualTo(21_000);
    assertThat(context.gpusPerNode()).isEqualTo(8);
  }

  @Test
  void knowsItsRoleAndItsPlaceInIt() {
    environment.put("CLUSTERED_ROLE", "server");
    environment.put("CLUSTERED_ROLE_RANK", "0");
    environment.put("CLUSTERED_ROLE_SIZE", "2");
    ClusterContext context = ClusterContext.from(environment);
    assertThat(context.role()).isEqualTo("server");
    assertThat(context.roleRank()).isZero();
    assertThat(context.roleSize()).isEqualTo(2);
  }

  @Test
  void isOneOfAllWhereItsNodeSaysNothingOfRoles() {
    ClusterContext context = ClusterContext.from(environment);
    assertThat(context.role()).isEqualTo("worker");
    assertThat(context.roleRank()).isEqualTo(1);
    assertThat(context.roleSize()).isEqualTo(3);
  }

  @Test
  void writesItsHeartbeatOnceASecondAtMost(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("heartbeat");
    environment.put("CLUSTERED_HEARTBEAT_FILE", file.toString());
    ClusterContext context = ClusterContext.from(environment);
    long start = System.nanoTime();
    context.heartbeat();
    assertThat(file).exists();
    Files.delete(file);
    while (!Files.exists(file)) {
      context.heartbeat();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void namesTheVariableThatItsHeartbeatLacks() {
    ClusterContext context = ClusterContext.from(environment);
    assertThatThrownBy(context::heartbeat)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("CLUSTERED_HEARTBEAT_FILE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CLUSTERED_CLUSTER_ID",
        "CLUSTERED_ATTEMPT",
        "CLUSTERED_RANK",
        "CLUSTERED_SIZE",
        "CLUSTERED_ADDRESSES",
        "CLUSTERED_GPUS_PER_NODE",
        "MASTER_PORT"
      })
  void namesTheVariableThatIsMissingOrEmpty(String variable) {
    environment.put(variable, "");
    assertRefused(variable);
    environment.remove(variable);
    assertRefused(variable);
  }

  @ParameterizedTest
  @CsvSource({
    "CLUSTERED_CLUSTER_ID,Not An Id",
    "CLUSTERED_ATTEMPT,two",
    "CLUSTERED_RANK,1.0",
    "CLUSTERED_SIZE,99999999999",
    "CLUSTERED_GPUS_PER_NODE,x",
    "MASTER_PORT,http"
  })
  void namesTheVariableThatIsUnusableAndItsValue(String variable, String value) {
    environment.put(variable, value);
    assertRefused(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost,127.1.0.2,::1", "127.1.0.1,,::1", "node-1,node-2,node-3"})
  void takesAddressLiteralsOnlyAndAsksNoNameServer(String addresses) {
    environment.put("CLUSTERED_ADDRESSES", addresses);
    assertRefused("CLUSTERED_ADDRESSES");
  }

  @ParameterizedTest
  @CsvSource({"CLUSTERED_RANK,3", "CLUSTERED_RANK,-1", "CLUSTERED_SIZE,4", "CLUSTERED_SIZE,0"})
  void refusesAnEnvironmentThatContradictsItself(String variable, String value) {
    environment.put(variable, value);
    assertRefused("contradicts itself");
  }

  @Test
  void saysThatThisProcessIsNoRank() {
    assertThatThrownBy(ClusterContext::current)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no rank of a cluster");
  }

  private void assertRefused(String text) {
    assertThatThrownBy(() -> ClusterContext.from(environment))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(text);
  }
}
