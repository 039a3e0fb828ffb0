// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.Preamble;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The one work of these tests: a cluster of one rank. */
final class TestWork {

  static final ClusterId CLUSTER = new ClusterId("c1");
  static final String ADDRESS = "127.0.0.1";
  static final int FIRST_PORT = 21000;
  static final int LAST_PORT = 21999;

  private TestWork() {}

  static DesiredWork desired(DesiredWork.Step step, Map<String, String> contract) {
    return desired(step, contract, Optional.empty());
  }

  /** Work that may run on without an engine. */
  static DesiredWork desired(
      DesiredWork.Step step, Map<String, String> contract, Optional<Duration> alone) {
    return new DesiredWork(
        CLUSTER,
        1,
        0,
        step,
        contract,
        Preamble.NONE,
        Duration.ofMillis(500),
        Optional.empty(),
        Optional.empty(),
        alone);
  }

  static WorkDocument script(String text) {
    return document(new Workload.Script(text), List.of());
  }

  static WorkDocument document(Workload workload, List<Volume> volumes) {
    return new WorkDocument(
        Optional.of(workload),
        Optional.empty(),
        Map.of("GREETING", "a=b \"$HOME\" 🙂", "WORLD_SIZE", "77"),
        Map.of("note", "from a file".getBytes(StandardCharsets.UTF_8)),
        Optional.empty(),
        volumes,
        FIRST_PORT,
        LAST_PORT);
  }

  static Map<String, String> contract(int port) {
    Map<String, String> contract = new LinkedHashMap<>();
    ContractNames.ENGINE.forEach(name -> contract.put(name, "0"));
    contract.put(ContractNames.CLUSTER_ID, CLUSTER.value());
    contract.put(ContractNames.ATTEMPT, "1");
    contract.put(ContractNames.SIZE, "1");
    contract.put(ContractNames.WORLD_SIZE, "1");
    contract.put(ContractNames.ADDRESSES, ADDRESS);
    contract.put(ContractNames.LEADER, ADDRESS);
    contract.put(ContractNames.MASTER_ADDR, ADDRESS);
    contract.put(ContractNames.MASTER_PORT, Integer.toString(port));
    return contract;
  }
}
