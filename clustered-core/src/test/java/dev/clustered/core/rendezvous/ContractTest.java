// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ContractTest {

  private static final ClusterId CLUSTER = new ClusterId("c-1");
  private static final List<Member> WHOLE =
      List.of(new Member("127.0.1.1", List.of(0, 1), 2), new Member("127.0.1.2", List.of(0, 1), 2));

  private static String text(Map<String, String> variables) {
    return variables.entrySet().stream()
        .map(e -> e.getKey() + "=" + e.getValue() + "\n")
        .collect(Collectors.joining());
  }

  @Test
  void givesEveryVariableByteForByteInAFixedOrder() {
    assertThat(text(Contract.variables(new Place(CLUSTER, 3, 1, WHOLE, 29_401))))
        .isEqualTo(
            """
            CLUSTERED_CLUSTER_ID=c-1
            CLUSTERED_ATTEMPT=3
            CLUSTERED_RANK=1
            CLUSTERED_SIZE=2
            CLUSTERED_ROLE=worker
            CLUSTERED_ROLE_RANK=1
            CLUSTERED_ROLE_SIZE=2
            CLUSTERED_ADDRESSES=127.0.1.1,127.0.1.2
            CLUSTERED_LEADER=127.0.1.1
            CLUSTERED_GPUS_PER_NODE=2
            MASTER_ADDR=127.0.1.1
            MASTER_PORT=29401
            NODE_RANK=1
            WORLD_SIZE=2
            PET_NNODES=2
            PET_NPROC_PER_NODE=2
            PET_NODE_RANK=1
            PET_MASTER_ADDR=127.0.1.1
            PET_MASTER_PORT=29401
            NCCL_HOSTID=127.0.1.2
            """);
  }

  @Test
  void everyRankIsToldItsPlaceInItsRole() {
    List<Role> roles = List.of(Role.of("server", 1).untilOthersEnd(), Role.of("trainer", 2));
    List<Member> members = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      members.add(new Member("10.0.0." + rank, List.of(), 0));
    }
    List<String> seen = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      Place place = new Place(CLUSTER, 1, rank, members, 30_000, Optional.empty(), roles);
      Map<String, String> variables = Contract.variables(place);
      seen.add(
          "%s %s of %s"
              .formatted(
                  variables.get("CLUSTERED_ROLE"),
                  variables.get("CLUSTERED_ROLE_RANK"),
                  variables.get("CLUSTERED_ROLE_SIZE")));
    }
    assertThat(seen).containsExactly("server 0 of 1", "trainer 0 of 2", "trainer 1 of 2");
  }

  @Test
  void givesOneProcessAndNoGpuListWhereTheNodeHasNoGpus() {
    Map<String, String> variables =
        Contract.variables(
            new Place(CLUSTER, 1, 0, List.of(new Member("10.0.0.1", List.of(), 0)), 30_000));

    assertThat(variables)
        .containsEntry("PET_NPROC_PER_NODE", "1")
        .containsEntry("CLUSTERED_GPUS_PER_NODE", "0")
        .doesNotContainKey("CUDA_VISIBLE_DEVICES");
  }

  @Test
  void namesTheGpusOfARankThatHasAPartOfItsNode() {
    List<Member> part = List.of(new Member("10.0.0.1", List.of(2, 5), 8));

    assertThat(Contract.variables(new Place(CLUSTER, 1, 0, part, 30_000)))
        .containsEntry("CUDA_VISIBLE_DEVICES", "2,5")
        .containsEntry("PET_NPROC_PER_NODE", "2");
  }

  @Test
  void hidesEveryGpuFromARankThatTookNone() {
    List<Member> none = List.of(new Member("10.0.0.1", List.of(), 8));

    assertThat(Contract.variables(new Place(CLUSTER, 1, 0, none, 30_000)))
        .containsEntry("CUDA_VISIBLE_DEVICES", "");
  }

  @Test
  void leavesSixthVersionAddressesBare() {
    List<Member> members =
        List.of(new Member("fd00::1", List.of(), 0), new Member("fd00::2", List.of(), 0));

    assertThat(Contract.variables(new Place(CLUSTER, 1, 1, members, 30_000)))
        .containsEntry("MASTER_ADDR", "fd00::1")
        .containsEntry("PET_MASTER_ADDR", "fd00::1")
        .containsEntry("CLUSTERED_ADDRESSES", "fd00::1,fd00::2");
  }

  @Test
  void letsAUserSetTheDefaultsAndNothingElse() {
    Map<String, String> user =
        Map.of(
            "PET_NPROC_PER_NODE",
            "4",
            "MASTER_PORT",
            "1",
            "CUDA_VISIBLE_DEVICES",
            "1",
            "A",
            "b",
            "NCCL_HOSTID",
            "rack 7");

    assertThat(Contract.variables(new Place(CLUSTER, 1, 0, WHOLE, 30_000), user))
        .containsEntry("PET_NPROC_PER_NODE", "4")
        .containsEntry("NCCL_HOSTID", "rack 7")
        .containsEntry("CUDA_VISIBLE_DEVICES", "1")
        .containsEntry("MASTER_PORT", "30000")
        .doesNotContainKey("A");
  }

  @Test
  void keepsTheGpuListOfAPartFromTheUser() {
    List<Member> part = List.of(new Member("10.0.0.1", List.of(3), 8));

    assertThat(
            Contract.variables(
                new Place(CLUSTER, 1, 0, part, 30_000), Map.of("CUDA_VISIBLE_DEVICES", "0,1,2,3")))
        .containsEntry("CUDA_VISIBLE_DEVICES", "3");
  }

  @Test
  void givesOnlyNamesThatTheContractLists() {
    assertThat(ContractNames.ENGINE)
        .containsAll(
            Contract.variables(
                    new Place(
                        CLUSTER, 1, 0, List.of(new Member("10.0.0.1", List.of(3), 8)), 30_000))
                .keySet());
  }

  @Test
  void refusesWhatCannotBeNamingIt() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Place(CLUSTER, 1, 2, WHOLE, 30_000))
        .withMessageContaining("received: 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Place(CLUSTER, 0, 0, WHOLE, 30_000))
        .withMessageContaining("received: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Place(CLUSTER, 1, 0, WHOLE, 65_536))
        .withMessageContaining("65536");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Member("[::1]", List.of(), 0))
        .withMessageContaining("[::1]");
  }
}
