// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.DesiredExec.SentSignal;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.DesiredWork.Step;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands beside a rank over a line that loses and repeats. */
@Timeout(60)
class AgentExecTest {

  private static final NodeId NODE = new NodeId("n1");

  @TempDir static Path certificates;
  private static TestCertificate certificate;

  @TempDir Path home;
  private final ProcessRuntime processes = new ProcessRuntime();
  private TestEngine engine;
  private AgentTransport transport;
  private Agent agent;

  @BeforeAll
  static void makeCertificate() throws Exception {
    certificate = TestCertificate.create(certificates);
  }

  private DesiredWork running(NodeRuntime runtime) throws Exception {
    engine =
        new TestEngine(
            certificate, Duration.ofSeconds(30), TestWork.script("echo up; exec sleep 1000"));
    transport = AgentTransport.open(engine.uri(), certificate.sha256());
    AgentBootstrap bootstrap =
        new AgentBootstrap(NODE, engine.uri(), certificate.sha256(), TestEngine.TOKEN);
    agent =
        Agent.start(
            new AgentOptions(
                bootstrap,
                home.resolve("agent"),
                List.of(TestWork.ADDRESS),
                runtime,
                transport,
                InstantSource.system()));
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    Map<String, String> contract = TestWork.contract(engine.await(Status.Prepared.class).port());
    engine.desire(2, TestWork.desired(Step.JOIN, contract));
    engine.await(Status.Joined.class);
    DesiredWork work = TestWork.desired(Step.RUN, contract);
    engine.desire(3, work);
    engine.await(Status.Running.class);
    return work;
  }

  @AfterEach
  void closeAll() {
    agent.close();
    transport.close();
    engine.close();
    processes.close();
    assertThat(ProcessHandle.current().children()).as("processes left").isEmpty();
  }

  private ExecEnd end() {
    Eventually.until(() -> "an end of the command", () -> engine.exec.end() != null);
    return Optional.ofNullable(engine.exec.end()).orElseThrow();
  }

  @Test
  void requestsThatAreLostOrRepeatedNeitherLoseNorDoubleAByte() throws Exception {
    DesiredWork work = running(processes);
    byte[] bytes = new byte[100_000];
    new Random(3).nextBytes(bytes);
    engine.exec.command(bytes, "sh", "-c", "cat; exit 5");
    engine.mode(TestEngine.Mode.LOSSY);
    engine.desire(4, work, List.of(TestExec.desired()));
    assertThat(end()).isEqualTo(ExecEnd.ended(new ProcessEnd.Code(5), Optional.empty()));
    assertThat(engine.exec.output()).isEqualTo(bytes);
  }

  @Test
  void aSignalIsDeliveredOnceHoweverOftenItIsDesired() throws Exception {
    DesiredWork work = running(processes);
    String line = "trap 'echo one' USR1; trap 'exit 4' USR2; echo up; while :; do sleep 0.02; done";
    engine.exec.command(new byte[0], "sh", "-c", line);
    engine.desire(4, work, List.of(TestExec.desired()));
    awaitOutput("up\n");
    engine.desire(5, work, List.of(TestExec.desired(new SentSignal(10, 1))));
    awaitOutput("up\none\n");
    engine.desire(6, work, List.of(TestExec.desired(new SentSignal(10, 1))));
    engine.desire(7, work, List.of(TestExec.desired(new SentSignal(10, 1), new SentSignal(12, 2))));
    assertThat(end().end()).contains(new ProcessEnd.Code(4));
    assertThat(text()).isEqualTo("up\none\n");
  }

  private String text() {
    return new String(engine.exec.output(), StandardCharsets.UTF_8);
  }

  private void awaitOutput(String expected) {
    Eventually.until(() -> expected + " in " + text(), () -> text().equals(expected));
  }

  @Test
  void whatIsNotDesiredAnyMoreEndsThoughTheWorkGoesOn() throws Exception {
    DesiredWork work = running(processes);
    engine.exec.command(new byte[0], "sh", "-c", "echo up; exec sleep 1000");
    engine.desire(4, work, List.of(TestExec.desired()));
    awaitOutput("up\n");
    engine.desire(5, work);
    assertThat(end().end()).contains(new ProcessEnd.Signal(15));
    assertThat(engine.statuses().getLast()).isInstanceOf(Status.Running.class);
  }

  @Test
  void endsWithTheAgentThatTheEngineDoesNotKnowAnyMore() throws Exception {
    DesiredWork work = running(processes);
    engine.exec.command(new byte[0], "sh", "-c", "echo up; exec yes");
    engine.desire(4, work, List.of(TestExec.desired()));
    Eventually.until(() -> "output", () -> engine.exec.output().length > 0);
    engine.mode(TestEngine.Mode.FORGETFUL);
    assertThat(agent.ended()).succeedsWithin(Duration.ofSeconds(20));
  }

  @Test
  void aRuntimeThatCannotDoItRefusesByName() throws Exception {
    DesiredWork work = running(new WithoutExec(processes));
    engine.desire(4, work, List.of(TestExec.desired()));
    ExecEnd.Refusal refusal = end().refusal().orElseThrow();
    assertThat(refusal.code()).isEqualTo(ErrorCode.EXEC_UNSUPPORTED);
    assertThat(refusal.message()).contains("runtime", "without-exec", "EXEC");
  }

  @Test
  void aRankThatIsNotThereIsNamed() throws Exception {
    DesiredWork work = running(processes);
    engine.desire(
        4,
        new DesiredWork(
            work.cluster(),
            2,
            0,
            Step.PREPARE,
            Map.of(),
            work.preamble(),
            work.grace(),
            work.notice()),
        List.of(TestExec.desired()));
    assertThat(end().refusal().orElseThrow().code()).isEqualTo(ErrorCode.RANK_NOT_RUNNING);
  }

  /** A runtime from the time before there were commands beside works. */
  private record WithoutExec(NodeRuntime real) implements NodeRuntime {

    @Override
    public String name() {
      return "without-exec";
    }

    @Override
    public Running start(Work work) {
      Running running = real.start(work);
      return new Running() {
        @Override
        public long processId() {
          return running.processId();
        }

        @Override
        public java.util.concurrent.CompletableFuture<ProcessEnd> end() {
          return running.end();
        }

        @Override
        public void signal(int signal) {
          running.signal(signal);
        }

        @Override
        public void terminate(Duration grace) throws InterruptedException {
          running.terminate(grace);
        }
      };
    }

    @Override
    public void close() {
      real.close();
    }
  }
}
