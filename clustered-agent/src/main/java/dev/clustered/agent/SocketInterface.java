// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ContractNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The network interface that has the address by which the other ranks reach this one. Left to
 * themselves NCCL, gloo and Open MPI take the first that they find, which may lead nowhere.
 */
final class SocketInterface {

  private static final Logger LOGGER = LoggerFactory.getLogger(SocketInterface.class);

  private SocketInterface() {}

  /**
   * The variables of {@link ContractNames#NODE_DEFAULTS} that the user does not give; none of them
   * where no interface has the address.
   *
   * @param address a literal without brackets
   */
  static Map<String, String> variables(String address, Map<String, String> user) {
    Map<String, String> variables = new LinkedHashMap<>();
    named(address).ifPresent(name -> variables.putAll(variables(name, loopback(address))));
    variables.keySet().removeAll(user.keySet());
    // Open MPI takes one list or the other, and refuses both.
    variables.keySet().removeIf(name -> user.containsKey(name.replace("_include", "_exclude")));
    return variables;
  }

  private static Map<String, String> variables(String name, boolean loopback) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(ContractNames.NCCL_SOCKET_IFNAME, "=" + name);
    variables.put(ContractNames.GLOO_SOCKET_IFNAME, name);
    variables.put(ContractNames.OMPI_BTL_INTERFACE, name);
    variables.put(ContractNames.OMPI_OOB_INTERFACE, name);
    if (!loopback) {
      variables.put(ContractNames.PRTE_OOB_INTERFACE, name);
    }
    return variables;
  }

  private static boolean loopback(String address) {
    return address.startsWith("127.") || address.equals("::1");
  }

  /** The name of the interface that has an address. */
  static Optional<String> named(String address) {
    try {
      InetAddress wanted = InetAddress.getByName(address);
      @Nullable NetworkInterface having = NetworkInterface.getByInetAddress(wanted);
      if (having != null) {
        return Optional.of(having.getName());
      }
      // The loopback interface answers to every address of its net and lists only the first.
      return wanted.isLoopbackAddress() ? loopback() : Optional.empty();
    } catch (IOException e) {
      LOGGER.warn("Interface not found address={}", address, e);
      return Optional.empty();
    }
  }

  private static Optional<String> loopback() throws IOException {
    return NetworkInterface.networkInterfaces()
        .filter(SocketInterface::isLoopback)
        .min(Comparator.comparingInt(NetworkInterface::getIndex))
        .map(NetworkInterface::getName);
  }

  private static boolean isLoopback(NetworkInterface candidate) {
    try {
      return candidate.isLoopback();
    } catch (IOException e) {
      return false;
    }
  }
}
