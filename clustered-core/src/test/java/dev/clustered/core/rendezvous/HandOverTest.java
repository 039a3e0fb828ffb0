// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.Preamble;
import dev.clustered.model.Alias;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Launcher;
import dev.clustered.model.Secret;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandOverTest {

  private static final String SECRET = "00ff00ff00ff00ff";
  private static final List<Member> LOOPBACK =
      List.of(new Member("::1", List.of(), 0), new Member("127.64.0.2", List.of(), 0));
  private static final ClusterId CLUSTER = new ClusterId("c-1");
  private static final List<Member> FOURTH =
      List.of(new Member("10.0.0.1", List.of(0, 1), 2), new Member("10.0.0.2", List.of(0, 1), 2));
  private static final List<Member> SIXTH =
      List.of(new Member("fd00::1", List.of(0, 1), 2), new Member("fd00::2", List.of(0, 1), 2));
  private static final List<Member> NO_GPUS =
      List.of(new Member("10.0.0.1", List.of(), 0), new Member("10.0.0.2", List.of(), 0));
  private static final List<Member> PARTS =
      List.of(new Member("fd00::1", List.of(2, 5), 8), new Member("fd00::2", List.of(6, 7), 8));

  private static HandOver handOver(Launcher launcher, List<Member> members, String... user) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (int i = 0; i < user.length; i += 2) {
      environment.put(user[i], user[i + 1]);
    }
    ClusterSpec spec =
        ClusterSpec.builder("x").nodes(members.size()).command("a").launcher(launcher).build();
    return HandOver.of(spec, place(1, members), environment);
  }

  private static Place place(int rank, List<Member> members) {
    return new Place(CLUSTER, 3, rank, members, 24_013, Optional.of(Secret.of(SECRET)), List.of());
  }

  private static HandOver ofLeader(Launcher launcher, List<Member> members) {
    ClusterSpec spec =
        ClusterSpec.builder("x").nodes(members.size()).command("a").launcher(launcher).build();
    return HandOver.of(spec, place(0, members), Map.of());
  }

  private static String line(HandOver handOver) {
    return String.join(" ", handOver.preamble().arguments());
  }

  private static Map<String, String> added(HandOver handOver, List<Member> members) {
    Map<String, String> added = new LinkedHashMap<>(handOver.contract());
    added.keySet().removeAll(handOver(Launcher.plain(), members).contract().keySet());
    return added;
  }

  @Test
  void aPlainCommandGetsTheContractAndNothingElse() {
    HandOver plain = handOver(Launcher.plain(), FOURTH);

    assertThat(plain.preamble()).isEqualTo(Preamble.NONE);
    assertThat(new ArrayList<>(plain.contract().entrySet()))
        .isEqualTo(
            new ArrayList<>(
                Contract.variables(new Place(CLUSTER, 3, 1, FOURTH, 24_013)).entrySet()));
  }

  @Test
  void everyLauncherGetsTheContractWithTheUsersDefaults() {
    for (Launcher launcher :
        List.of(
            Launcher.plain(),
            Launcher.torchrun(),
            Launcher.elasticTorchrun(),
            Launcher.accelerate(),
            Launcher.deepSpeed(),
            Launcher.jax(),
            Launcher.direct(),
            Launcher.mpi(),
            Launcher.ray())) {
      assertThat(handOver(launcher, FOURTH, "PET_NPROC_PER_NODE", "3").contract())
          .as("%s", launcher)
          .containsEntry("PET_NPROC_PER_NODE", "3")
          .containsEntry("MASTER_ADDR", "10.0.0.1")
          .containsEntry("NODE_RANK", "1");
    }
  }

  @Test
  void torchrunStandsBeforeTheCommandAndReadsTheContract() {
    HandOver torchrun = handOver(Launcher.torchrun(), SIXTH);

    assertThat(line(torchrun)).isEqualTo("torchrun");
    assertThat(added(torchrun, SIXTH)).isEmpty();
    assertThat(torchrun.contract()).containsEntry("PET_MASTER_ADDR", "fd00::1");
  }

  @Test
  void elasticTorchrunMeetsOnTheFirstRankAndIsNamedByTheAttempt() {
    HandOver torchrun = handOver(Launcher.elasticTorchrun(), FOURTH);

    assertThat(line(torchrun)).isEqualTo("torchrun");
    assertThat(added(torchrun, FOURTH))
        .containsOnly(
            Map.entry("PET_RDZV_BACKEND", "c10d"),
            Map.entry("PET_RDZV_ENDPOINT", "10.0.0.1:24013"),
            Map.entry("PET_RDZV_ID", "c-1-3"),
            Map.entry("PET_RDZV_CONF", "is_host=false"),
            Map.entry("PET_MAX_RESTARTS", "0"),
            Map.entry("PET_LOCAL_ADDR", "10.0.0.2"));
  }

  @Test
  void onlyTheFirstRankHostsTheRendezvous() {
    ClusterSpec spec =
        ClusterSpec.builder("x").nodes(2).command("a").launcher(Launcher.elasticTorchrun()).build();
    Place leader = new Place(CLUSTER, 1, 0, FOURTH, 24_013);

    assertThat(HandOver.of(spec, leader, Map.of()).contract())
        .containsEntry("PET_RDZV_CONF", "is_host=true");
  }

  @Test
  void endpointsOfTheSixthVersionHaveBracketsAndAddressesHaveNone() {
    assertThat(added(handOver(Launcher.elasticTorchrun(), SIXTH), SIXTH))
        .containsEntry("PET_RDZV_ENDPOINT", "[fd00::1]:24013")
        .containsEntry("PET_LOCAL_ADDR", "fd00::2");
    assertThat(added(handOver(Launcher.jax(), SIXTH), SIXTH))
        .containsEntry("JAX_COORDINATOR_ADDRESS", "[fd00::1]:24013");
    assertThat(line(handOver(Launcher.accelerate(), SIXTH))).contains("--main_process_ip fd00::1 ");
    assertThat(line(handOver(Launcher.deepSpeed(), SIXTH))).contains("--master_addr fd00::1 ");
  }

  @Test
  void accelerateIsToldEverythingByOptionsAndReadsNoConfigurationOfAHome() {
    HandOver accelerate = handOver(Launcher.accelerate(), FOURTH);

    assertThat(line(accelerate))
        .isEqualTo(
            "accelerate launch --config_file ../files/accelerate.yaml --num_machines 2"
                + " --num_processes 4 --machine_rank 1 --main_process_ip 10.0.0.1"
                + " --main_process_port 24013 --same_network");
    assertThat(accelerate.preamble().files())
        .containsOnly(
            Map.entry(
                "accelerate.yaml",
                "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n"));
    assertThat(added(accelerate, FOURTH)).isEmpty();
  }

  @Test
  void accelerateIsToldWhereARankHasNoGpus() {
    assertThat(added(handOver(Launcher.accelerate(), NO_GPUS), NO_GPUS))
        .containsOnly(Map.entry("ACCELERATE_USE_CPU", "true"));
  }

  @Test
  void accelerateDoesNotDistributeOneProcess() {
    ClusterSpec spec =
        ClusterSpec.builder("x").command("a").launcher(Launcher.accelerate()).build();
    Place alone = new Place(CLUSTER, 1, 0, List.of(new Member("10.0.0.1", List.of(), 0)), 24_013);

    assertThat(HandOver.of(spec, alone, Map.of()).preamble().files().get("accelerate.yaml"))
        .contains("distributed_type: 'NO'");
  }

  @Test
  void accelerateAndDeepSpeedStartAsManyProcessesAsTheUserSays() {
    assertThat(line(handOver(Launcher.accelerate(), NO_GPUS, "PET_NPROC_PER_NODE", "3")))
        .contains("--num_processes 6 ");
    assertThat(
            handOver(Launcher.deepSpeed(), NO_GPUS, "PET_NPROC_PER_NODE", "3").preamble().files())
        .containsOnly(Map.entry("hostfile", "rank-0 slots=3\nrank-1 slots=3\n"));
  }

  @Test
  void deepSpeedStartsEachNodeByItselfAndLooksUpNoHost() {
    HandOver deepSpeed = handOver(Launcher.deepSpeed(), SIXTH);

    assertThat(line(deepSpeed))
        .isEqualTo(
            "deepspeed --no_ssh --node_rank 1 --master_addr fd00::1 --master_port 24013"
                + " --hostfile ../files/hostfile");
    assertThat(deepSpeed.preamble().files())
        .containsOnly(Map.entry("hostfile", "rank-0 slots=2\nrank-1 slots=2\n"));
  }

  @Test
  void deepSpeedUsesTheGpusOfARankThatHasAPartOfItsNode() {
    HandOver deepSpeed = handOver(Launcher.deepSpeed(), PARTS);

    assertThat(line(deepSpeed)).endsWith(" --include rank-0:2,5@rank-1:6,7");
    assertThat(deepSpeed.preamble().files())
        .containsOnly(Map.entry("hostfile", "rank-0 slots=8\nrank-1 slots=8\n"));
    assertThat(line(handOver(Launcher.deepSpeed(), PARTS, "PET_NPROC_PER_NODE", "1")))
        .endsWith(" --include rank-0:2@rank-1:6");
  }

  @Test
  void jaxStartsTheCommandItselfAndCountsNodes() {
    HandOver jax = handOver(Launcher.jax(), FOURTH);

    assertThat(jax.preamble()).isEqualTo(Preamble.NONE);
    assertThat(added(jax, FOURTH))
        .containsOnly(
            Map.entry("JAX_COORDINATOR_ADDRESS", "10.0.0.1:24013"),
            Map.entry("JAX_NUM_PROCESSES", "2"),
            Map.entry("JAX_PROCESS_ID", "1"));
  }

  @Test
  void directRanksAreNumberedOverNodesOfDifferentSizes() {
    List<Member> uneven =
        List.of(
            new Member("10.0.0.1", List.of(0, 1, 2), 3),
            new Member("10.0.0.2", List.of(0, 1), 2),
            new Member("10.0.0.3", List.of(), 0));
    HandOver direct = handOver(Launcher.direct(), uneven);

    assertThat(direct.preamble().arguments()).isEmpty();
    assertThat(direct.preamble().processes())
        .extracting(own -> own.get("RANK") + own.get("LOCAL_RANK") + own.get("LOCAL_WORLD_SIZE"))
        .containsExactly("302", "412");
    assertThat(direct.preamble().processes())
        .allSatisfy(
            own ->
                assertThat(own)
                    .containsEntry("WORLD_SIZE", "6")
                    .containsEntry("GROUP_RANK", "1")
                    .containsEntry("GROUP_WORLD_SIZE", "3")
                    .containsEntry("OMP_NUM_THREADS", "1")
                    .doesNotContainKeys("CUDA_VISIBLE_DEVICES", "MASTER_ADDR"));
  }

  @Test
  void directRanksLeaveTheUsersThreadsAndErrorHandlingAlone() {
    HandOver direct =
        handOver(
            Launcher.direct(2),
            FOURTH,
            "OMP_NUM_THREADS",
            "7",
            "TORCH_NCCL_ASYNC_ERROR_HANDLING",
            "3");
    assertThat(direct.preamble().processes())
        .allSatisfy(
            own ->
                assertThat(own)
                    .doesNotContainKeys("OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING"));
    assertThat(handOver(Launcher.direct(1), FOURTH).preamble().processes())
        .singleElement()
        .satisfies(own -> assertThat(own).doesNotContainKey("OMP_NUM_THREADS"));
  }

  @Test
  void aNumberThatTheLauncherNamesIsThatOfTheContract() {
    assertThat(handOver(Launcher.direct(5), FOURTH).contract())
        .containsEntry("PET_NPROC_PER_NODE", "5");
    assertThat(handOver(Launcher.mpi(5), FOURTH).contract())
        .containsEntry("PET_NPROC_PER_NODE", "5");
  }

  @Test
  void mpirunRunsOnTheFirstRankAndTheOthersFollow() {
    HandOver leader = ofLeader(Launcher.mpi(3), SIXTH);
    assertThat(line(leader)).isEqualTo("mpirun --hostfile ../files/hostfile --wdir /proc/self/cwd");
    assertThat(leader.preamble().files())
        .containsEntry("hostfile", "localhost slots=3\nfd00::2 slots=3\n")
        .containsEntry("secret", SECRET)
        .containsKey("remote");
    assertThat(leader.preamble().companion())
        .containsExactly(
            "../files/worker",
            "dev.clustered.agent.worker.Leader",
            "fd00::1",
            "24014",
            "fd00::1",
            "../files/secret",
            "-");

    HandOver follower = handOver(Launcher.mpi(3), SIXTH);
    assertThat(line(follower))
        .isEqualTo(
            "../files/worker dev.clustered.agent.worker.Follower fd00::1 24014 fd00::2"
                + " ../files/secret -");
    assertThat(follower.preamble().companion()).isEmpty();
    assertThat(follower.preamble().toString()).doesNotContain(SECRET);
  }

  @Test
  void nodesOfOneMachineShareNoMemoryInMpiAndNoDirectoryInRay() {
    assertThat(added(handOver(Launcher.mpi(), LOOPBACK), LOOPBACK))
        .containsEntry("OMPI_MCA_btl", "self,tcp");
    assertThat(added(handOver(Launcher.mpi(), FOURTH), FOURTH)).doesNotContainKey("OMPI_MCA_btl");
    assertThat(line(ofLeader(Launcher.ray(), LOOPBACK)))
        .endsWith(" /tmp/ray-00ff00ff00ff-0 /tmp/ray-00ff00ff00ff-");
    assertThat(line(ofLeader(Launcher.ray(), FOURTH))).endsWith(" /tmp/ray-00ff00ff00ff same");
  }

  @Test
  void whatTheUserSaysToOpenMpiWins() {
    assertThat(added(handOver(Launcher.mpi(), LOOPBACK, "OMPI_MCA_btl", "self,sm"), LOOPBACK))
        .doesNotContainKey("OMPI_MCA_btl");
  }

  @Test
  void rayHasBracketsInItsAddressAndALiteralForItsNodes() {
    assertThat(added(handOver(Launcher.ray(), SIXTH), SIXTH))
        .containsEntry("RAY_ADDRESS", "[fd00::1]:24013");
    assertThat(added(handOver(Launcher.ray(), LOOPBACK), LOOPBACK))
        .containsEntry("RAY_ADDRESS", "[::1]:24013");
  }

  @Test
  void rayIsWantedOnEveryNodeBeforeAnythingStarts() {
    assertThat(ofLeader(Launcher.ray(), FOURTH).preamble().programs()).containsExactly("ray");
    assertThat(handOver(Launcher.ray(), FOURTH).preamble().programs()).containsExactly("ray");
    assertThat(handOver(Launcher.mpi(), FOURTH).preamble().programs()).isEmpty();
  }

  @Test
  void onlyLaunchersThatSpeakFromNodeToNodeKeepAPortOfTheirOwn() {
    assertThat(HandOver.ports(ClusterSpec.builder("x").command("a").build())).isEqualTo(1);
    for (Launcher launcher : List.of(Launcher.mpi(), Launcher.ray())) {
      assertThat(HandOver.ports(ClusterSpec.builder("x").command("a").launcher(launcher).build()))
          .isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "gpu", "cpu"})
  void torchrunTakesWordsForTheNumberOfProcesses(String word) {
    assertThat(handOver(Launcher.torchrun(), FOURTH, "PET_NPROC_PER_NODE", word).contract())
        .containsEntry("PET_NPROC_PER_NODE", word);
  }

  @Test
  void namesOfOtherSystemsComeOnDemandWithTheirLists() {
    ClusterSpec spec =
        ClusterSpec.builder("x").nodes(2).command("a").aliases(Alias.values()).build();
    Map<String, String> contract =
        HandOver.of(spec, new Place(CLUSTER, 3, 1, SIXTH, 24_013), Map.of("SLURM_PROCID", "9"))
            .contract();

    assertThat(contract)
        .containsEntry("SKYPILOT_NODE_RANK", "1")
        .containsEntry("SKYPILOT_NODE_IPS", "fd00::1\nfd00::2")
        .containsEntry("SKYPILOT_NUM_NODES", "2")
        .containsEntry("SKYPILOT_NUM_GPUS_PER_NODE", "2")
        .containsEntry("SKYPILOT_TASK_ID", "c-1")
        .containsEntry("DSTACK_NODE_RANK", "1")
        .containsEntry("DSTACK_NODES_IPS", "fd00::1\nfd00::2")
        .containsEntry("DSTACK_NODES_NUM", "2")
        .containsEntry("DSTACK_MASTER_NODE_IP", "fd00::1")
        .containsEntry("DSTACK_GPUS_PER_NODE", "2")
        .containsEntry("DSTACK_GPUS_NUM", "4")
        .containsEntry("SLURM_NODEID", "1")
        .containsEntry("SLURM_PROCID", "1")
        .containsEntry("SLURM_JOB_NODELIST", "fd00::1,fd00::2")
        .containsEntry("SLURM_RESTART_COUNT", "2");
    assertThat(handOver(Launcher.plain(), SIXTH).contract().keySet())
        .noneMatch(name -> name.matches("(SKYPILOT|DSTACK|SLURM)_.*"));
  }

  @Test
  void everyNodeIsAHostOfItsOwnForNccl() {
    assertThat(handOver(Launcher.plain(), SIXTH).contract())
        .containsEntry("NCCL_HOSTID", "fd00::2");
  }
}
