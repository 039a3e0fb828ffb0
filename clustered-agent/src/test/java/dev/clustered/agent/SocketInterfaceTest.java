// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.ContractNames;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SocketInterfaceTest {

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.64.3.2", "::1"})
  void everyLoopbackAddressBelongsToTheLoopbackInterface(String address) throws Exception {
    String name = SocketInterface.named(address).orElseThrow();
    assertThat(NetworkInterface.getByName(name).isLoopback()).isTrue();
  }

  @Test
  void everyAddressOfThisMachineBelongsToTheInterfaceThatHasIt() throws Exception {
    for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
      List<InetAddress> addresses = each.inetAddresses().toList();
      for (InetAddress address : addresses) {
        assertThat(SocketInterface.named(address.getHostAddress())).contains(each.getName());
      }
    }
  }

  @Test
  void anAddressThatNoInterfaceHasGivesNoVariables() {
    assertThat(SocketInterface.variables("192.0.2.1", Map.of())).isEmpty();
    assertThat(SocketInterface.variables("2001:db8::1", Map.of())).isEmpty();
  }

  @Test
  void ncclGetsTheExactNameAndTheUsersOwnValueWins() {
    String name = SocketInterface.named("127.0.0.1").orElseThrow();
    assertThat(SocketInterface.variables("127.0.0.1", Map.of()))
        .containsOnly(
            Map.entry(ContractNames.NCCL_SOCKET_IFNAME, "=" + name),
            Map.entry(ContractNames.GLOO_SOCKET_IFNAME, name),
            Map.entry(ContractNames.OMPI_BTL_INTERFACE, name),
            Map.entry(ContractNames.OMPI_OOB_INTERFACE, name));
    assertThat(
            SocketInterface.variables(
                "127.0.0.1", Map.of(ContractNames.NCCL_SOCKET_IFNAME, "eth7")))
        .doesNotContainKey(ContractNames.NCCL_SOCKET_IFNAME)
        .containsKey(ContractNames.GLOO_SOCKET_IFNAME);
  }

  @Test
  void openMpiIsToldNothingWhereTheUserExcludesInterfaces() {
    assertThat(SocketInterface.variables("::1", Map.of("OMPI_MCA_btl_tcp_if_exclude", "docker0")))
        .doesNotContainKey(ContractNames.OMPI_BTL_INTERFACE)
        .containsKey(ContractNames.OMPI_OOB_INTERFACE);
  }
}
