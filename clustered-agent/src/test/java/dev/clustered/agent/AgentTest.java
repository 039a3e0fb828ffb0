// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.DesiredWork.Step;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AgentTest {

  private static final NodeId NODE = new NodeId("n1");
  private static final Duration LEASE = Duration.ofSeconds(30);

  @TempDir static Path certificates;
  private static TestCertificate certificate;

  @TempDir Path home;
  private final ProcessRuntime runtime = new ProcessRuntime();
  private TestEngine engine;
  private AgentTransport transport;
  private Agent agent;

  @BeforeAll
  static void makeCertificate() throws Exception {
    certificate = TestCertificate.create(certificates);
  }

  @AfterEach
  void closeAll() {
    agent.close();
    transport.close();
    engine.close();
    runtime.close();
    assertThat(ProcessHandle.current().children()).as("processes left").isEmpty();
    assertThat(home.resolve("agent")).doesNotExist();
  }

  @Test
  void takesAWorkFromPreparedToFinishedAndForgetsIt() throws Exception {
    start(LEASE, TestWork.script("echo hello; cat note; printf '[1, 2]' > $CLUSTERED_RESULT_FILE"));
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    int port = engine.await(Status.Prepared.class).port();
    assertThat(port).isBetween(TestWork.FIRST_PORT, TestWork.LAST_PORT);
    assertThatThrownBy(
            () -> PortReservation.reserve(new WorkKey(TestWork.CLUSTER, 1), port, port, 1))
        .isInstanceOf(WorkFailure.class);

    engine.desire(2, TestWork.desired(Step.JOIN, TestWork.contract(port)));
    assertThat(engine.await(Status.Joined.class)).isEqualTo(new Status.Joined(1, 0));

    engine.desire(3, TestWork.desired(Step.RUN, TestWork.contract(port)));
    Status.Finished finished = engine.await(Status.Finished.class);
    assertThat(finished.end()).contains(new ProcessEnd.Code(0));
    assertThat(finished.killed()).isFalse();
    assertThat(finished.result()).contains("[1, 2]");
    assertThat(engine.logText()).isEqualTo("hello\nfrom a file");
    assertThat(finished.logBytes()).isEqualTo(engine.log().length);

    engine.desire(4);
    Eventually.until(() -> "gone in " + engine.statuses(), () -> engine.newestReportIsEmpty(4));
    assertThat(home.resolve("agent/n1.c1-1")).doesNotExist();
  }

  @Test
  void tellsOfTheEndAtOnceThoughTheLogIsStillToBeShipped() throws Exception {
    start(LEASE, TestWork.script("echo last words; exit 3"));
    engine.mode(TestEngine.Mode.WITHOUT_LOGS);
    run();
    Status.Exited exited = engine.await(Status.Exited.class);
    assertThat(exited.end()).isEqualTo(new ProcessEnd.Code(3));
    assertThat(exited.killed()).isFalse();
    assertThat(engine.statuses()).noneMatch(Status.Finished.class::isInstance);
    engine.mode(TestEngine.Mode.HEALTHY);
    engine.await(Status.Finished.class);
    assertThat(engine.logText()).isEqualTo("last words\n");
  }

  @Test
  void marksAsKilledOnlyWhatItEndedItself() throws Exception {
    start(LEASE, TestWork.script("exec sleep 1000"));
    Map<String, String> contract = run();
    engine.await(Status.Running.class);
    engine.desire(9, TestWork.desired(Step.STOP, contract));
    Status.Finished finished = engine.await(Status.Finished.class);
    assertThat(finished.killed()).isTrue();
    assertThat(finished.end()).contains(new ProcessEnd.Signal(15));
  }

  @Test
  void finishesAWorkThatIsStoppedBeforeItRan() throws Exception {
    start(LEASE, TestWork.script("exit 0"));
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    engine.await(Status.Prepared.class);
    engine.desire(2, TestWork.desired(Step.STOP, Map.of()));
    assertThat(engine.await(Status.Finished.class).end()).isEmpty();
  }

  @Test
  void reportsAMissingExecutableWithCode127() throws Exception {
    start(LEASE, TestWork.document(new Workload.Command(List.of("/no/such/program")), List.of()));
    run();
    assertThat(engine.await(Status.Finished.class).end())
        .hasValueSatisfying(end -> assertThat(end).hasFieldOrPropertyWithValue("code", 127));
  }

  @Test
  void failsAWorkWhoseContractContradictsTheNode() throws Exception {
    start(LEASE, TestWork.script("exit 0"));
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    Map<String, String> contract =
        new LinkedHashMap<>(TestWork.contract(engine.await(Status.Prepared.class).port()));
    contract.put(ContractNames.WORLD_SIZE, "2");
    engine.desire(2, TestWork.desired(Step.RUN, contract));
    Status.Failed failed = engine.await(Status.Failed.class);
    assertThat(failed.code()).isEqualTo(ErrorCode.JOIN_MISMATCH);
    assertThat(failed.message()).contains("WORLD_SIZE is 2 where 1 is right");
  }

  @Test
  void failsAWorkThatIsNotToldWhereItsLeaderIsBeforeAnythingOfItRuns() throws Exception {
    start(LEASE, TestWork.script("echo ran"));
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    Map<String, String> contract =
        new LinkedHashMap<>(TestWork.contract(engine.await(Status.Prepared.class).port()));
    contract.remove(ContractNames.MASTER_ADDR);
    engine.desire(2, TestWork.desired(Step.RUN, contract));
    Status.Failed failed = engine.await(Status.Failed.class);
    assertThat(failed.code()).isEqualTo(ErrorCode.JOIN_MISMATCH);
    assertThat(failed.message()).contains("the variable MASTER_ADDR is missing");
    assertThat(engine.statuses()).noneMatch(Status.Running.class::isInstance);
    assertThat(engine.logText()).isEmpty();
  }

  @Test
  void failsAWorkWhoseVolumeIsAbsent() throws Exception {
    Volume volume = new Volume("data", home.resolve("absent").toString());
    start(LEASE, TestWork.document(new Workload.Script("exit 0"), List.of(volume)));
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    Status.Failed failed = engine.await(Status.Failed.class);
    assertThat(failed.code()).isEqualTo(ErrorCode.PREPARE_FAILED);
    assertThat(failed.message()).contains(volume.source());
  }

  @Test
  void leavesTheContentOfAVolumeAlone() throws Exception {
    Path data = Files.createDirectory(home.resolve("data"));
    Files.writeString(data.resolve("keep"), "kept");
    start(
        LEASE,
        TestWork.document(
            new Workload.Script("cat in/keep; echo new > in/made"),
            List.of(new Volume("in", data.toString()))));
    run();
    engine.await(Status.Finished.class);
    engine.desire(9);
    Eventually.until(() -> "gone", () -> engine.newestReportIsEmpty(9));
    assertThat(engine.logText()).isEqualTo("kept");
    assertThat(data.resolve("made")).hasContent("new");
  }

  @Test
  void givesRanksNothingButBaseUserVariablesAndContract() throws Exception {
    start(LEASE, TestWork.script("env"));
    run();
    engine.await(Status.Finished.class);
    List<String> lines = engine.logText().lines().toList();
    List<String> allowed = new ArrayList<>(RankEnvironment.BASE);
    allowed.addAll(ContractNames.ENGINE);
    allowed.addAll(ContractNames.NODE);
    allowed.addAll(ContractNames.NODE_DEFAULTS);
    // The last three are made by the shell.
    allowed.addAll(List.of("GREETING", "PWD", "_", "SHLVL"));
    assertThat(lines)
        .isNotEmpty()
        .allSatisfy(line -> assertThat(allowed).contains(line.split("=", 2)[0]));
    assertThat(lines).contains("GREETING=a=b \"$HOME\" 🙂", "WORLD_SIZE=1");
  }

  @Test
  void convergesWhenEverySecondRequestIsLost() throws Exception {
    start(LEASE, TestWork.script("seq 1 100000; printf 7 > $CLUSTERED_RESULT_FILE"));
    engine.mode(TestEngine.Mode.LOSSY);
    run();
    Status.Finished finished = engine.await(Status.Finished.class);
    assertThat(finished.result()).contains("7");
    assertThat(engine.log()).isEqualTo(Files.readAllBytes(home.resolve("agent/n1.c1-1/log")));
    engine.desire(9);
    Eventually.until(() -> "gone", () -> engine.newestReportIsEmpty(9));
  }

  @Test
  void ignoresADesiredStateOlderThanOneItHasSeen() throws Exception {
    start(LEASE, TestWork.script("exec sleep 1000"));
    Map<String, String> contract = run();
    engine.await(Status.Running.class);
    engine.desireOutOfOrder(1);
    engine.desire(9, TestWork.desired(Step.STOP, contract));
    Status.Finished finished = engine.await(Status.Finished.class);
    assertThat(finished.killed()).isTrue();
    assertThat(engine.newestReportIsEmpty(1)).isFalse();
  }

  @Test
  void shipsWhatWasWrittenBeforeASigkill() throws Exception {
    start(LEASE, TestWork.script("seq 1 100000; kill -9 $$"));
    run();
    Status.Finished finished = engine.await(Status.Finished.class);
    assertThat(finished.end()).contains(new ProcessEnd.Signal(9));
    assertThat(finished.killed()).isFalse();
    assertThat(engine.logText()).endsWith("\n100000\n");
  }

  @Test
  void endsItsWorkAndItselfWhenTheLeaseIsOver() throws Exception {
    start(Duration.ofSeconds(1), TestWork.script("exec sleep 1000"));
    run();
    long process = engine.await(Status.Running.class).processId();
    engine.mode(TestEngine.Mode.DOWN);
    agent.ended().get(20, TimeUnit.SECONDS);
    assertThat(ProcessHandle.of(process)).isEmpty();
    assertThat(home.resolve("agent")).doesNotExist();
  }

  @Test
  void workThatMayRunAloneOutlivesTheLeaseAndKeepsItsEndForTheNextEngine() throws Exception {
    start(Duration.ofSeconds(1), TestWork.script("sleep 4; echo the end; exit 5"));
    run(Optional.of(Duration.ofHours(1)));
    long process = engine.await(Status.Running.class).processId();
    engine.mode(TestEngine.Mode.DOWN);
    ProcessHandle.of(process).orElseThrow().onExit().get(20, TimeUnit.SECONDS);
    assertThat(agent.ended()).isNotDone();
    engine.mode(TestEngine.Mode.HEALTHY);
    assertThat(engine.await(Status.Finished.class).end()).contains(new ProcessEnd.Code(5));
    assertThat(engine.logText()).isEqualTo("the end\n");
  }

  @Test
  void workThatRunsAloneEndsAtItsLimitWithItsNode() throws Exception {
    start(Duration.ofSeconds(1), TestWork.script("exec sleep 1000"));
    run(Optional.of(Duration.ofSeconds(3)));
    long process = engine.await(Status.Running.class).processId();
    engine.mode(TestEngine.Mode.DOWN);
    agent.ended().get(20, TimeUnit.SECONDS);
    assertThat(ProcessHandle.of(process)).isEmpty();
    assertThat(home.resolve("agent")).doesNotExist();
  }

  @Test
  void endsAtOnceWhenTheEngineDoesNotKnowItAnyMore() throws Exception {
    start(LEASE, TestWork.script("exec sleep 1000"));
    run();
    long process = engine.await(Status.Running.class).processId();
    engine.mode(TestEngine.Mode.FORGETFUL);
    agent.ended().get(10, TimeUnit.SECONDS);
    assertThat(ProcessHandle.of(process)).isEmpty();
  }

  @Test
  void endsWithoutASecondTryWhenItsTokenIsRefused() throws Exception {
    start(LEASE, TestWork.script("exit 0"), "another-token");
    agent.ended().get(10, TimeUnit.SECONDS);
    assertThat(engine.joins).hasValue(1);
  }

  @Test
  void saysNothingToAnEndpointWithAnotherCertificate() throws Exception {
    start(LEASE, TestWork.script("exit 0"));
    Eventually.until(() -> "joined", () -> engine.joins.get() == 1);
    try (AgentTransport wrong = AgentTransport.open(engine.uri(), "00".repeat(32))) {
      JoinRequest request = new JoinRequest(NODE, TestEngine.TOKEN, List.of(TestWork.ADDRESS), 1);
      assertThatThrownBy(() -> Session.join(wrong, request))
          .isInstanceOf(SSLHandshakeException.class);
    }
    assertThat(engine.joins).hasValue(1);
  }

  @Test
  void leavesNothingWhenClosedWhileAStubbornRankRuns() throws Exception {
    start(LEASE, TestWork.script("trap '' TERM; echo ready; while :; do sleep 0.1; done"));
    run();
    long process = engine.await(Status.Running.class).processId();
    Eventually.until(() -> "trap is set", () -> engine.log().length > 0);
    agent.close();
    transport.close();
    assertThat(agent.ended()).isDone();
    assertThat(ProcessHandle.of(process)).isEmpty();
    assertThat(home.resolve("agent")).doesNotExist();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("HttpClient"));
  }

  private void start(Duration lease, WorkDocument document) throws Exception {
    start(lease, document, TestEngine.TOKEN);
  }

  private void start(Duration lease, WorkDocument document, String token) throws Exception {
    engine = new TestEngine(certificate, lease, document);
    transport = AgentTransport.open(engine.uri(), certificate.sha256());
    agent =
        Agent.start(
            new AgentOptions(
                new AgentBootstrap(NODE, engine.uri(), certificate.sha256(), token),
                home.resolve("agent"),
                List.of(TestWork.ADDRESS),
                runtime,
                transport,
                InstantSource.system()));
  }

  /** Takes the work to where its process is started. */
  private Map<String, String> run() {
    return run(Optional.empty());
  }

  private Map<String, String> run(Optional<Duration> alone) {
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    Map<String, String> contract = TestWork.contract(engine.await(Status.Prepared.class).port());
    engine.desire(2, TestWork.desired(Step.RUN, contract, alone));
    return contract;
  }
}
