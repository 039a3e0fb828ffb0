// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.DesiredWork.Step;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Logs of ranks on their way to the engine, and what of them stays on the node meanwhile. */
@Timeout(120)
class AgentLogTest {

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
  void shipsEveryByteOfALargeLog() throws Exception {
    start(LEASE, TestWork.script("seq 1 2700000"));
    run();
    Status.Finished finished = engine.await(Status.Finished.class);
    assertThat(finished.logBytes()).isGreaterThan(20_000_000);
    assertThat(Arrays.mismatch(engine.log(), numbers(2_700_000))).isEqualTo(-1);
  }

  private static byte[] numbers(int last) {
    return IntStream.rangeClosed(1, last)
        .mapToObj(number -> number + "\n")
        .collect(Collectors.joining())
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void keepsOnTheNodeLittleOfWhatTheEngineHas() throws Exception {
    start(LEASE, TestWork.script("seq 1 2700000; exec sleep 1000"));
    run();
    byte[] all = numbers(2_700_000);
    Eventually.until(() -> "all are there", () -> engine.log().length == all.length);
    Path log = home.resolve("agent/n1.c1-1/log");
    Eventually.until(() -> occupied(log) + " bytes", () -> occupied(log) < 2_000_000);
    assertThat(Files.size(log)).isEqualTo(all.length);
    byte[] kept = Files.readAllBytes(log);
    int last = 64 * 1024;
    assertThat(Arrays.copyOfRange(kept, kept.length - last, kept.length))
        .isEqualTo(Arrays.copyOfRange(all, all.length - last, all.length));
  }

  @Test
  void keepsOnTheNodeWhatTheEngineHasNot() throws Exception {
    start(LEASE, TestWork.script("seq 1 1000000; exec sleep 1000"));
    engine.mode(TestEngine.Mode.WITHOUT_LOGS);
    run();
    Path log = home.resolve("agent/n1.c1-1/log");
    byte[] all = numbers(1_000_000);
    Eventually.until(() -> "written", () -> log.toFile().length() == all.length);
    assertThat(Arrays.mismatch(Files.readAllBytes(log), all)).isEqualTo(-1);
    engine.mode(TestEngine.Mode.HEALTHY);
    Eventually.until(() -> "all are there", () -> engine.log().length == all.length);
    assertThat(Arrays.mismatch(engine.log(), all)).isEqualTo(-1);
  }

  @Test
  void tellsAnEngineThatLostBytesHowManyAreGoneAndGoesOnInTheirPlace() throws Exception {
    start(
        LEASE, TestWork.script("seq 1 1000000; while test ! -e go; do sleep 0.01; done; echo on"));
    run();
    byte[] all = numbers(1_000_000);
    Path log = home.resolve("agent/n1.c1-1/log");
    Eventually.until(() -> "all are there", () -> engine.log().length == all.length);
    Eventually.until(() -> occupied(log) + " bytes", () -> occupied(log) < 2_000_000);
    engine.loseLog(1_000);
    Files.createFile(home.resolve("agent/n1.c1-1/work/go"));
    engine.await(Status.Finished.class);
    byte[] told = engine.log();
    assertThat(told.length).isEqualTo(all.length + 3);
    assertThat(Arrays.copyOf(told, 1_000)).isEqualTo(Arrays.copyOf(all, 1_000));
    int gone = 1_000;
    String words = new String(told, gone, 100, StandardCharsets.UTF_8);
    assertThat(words).matches("(?s)\n=== clustered: \\d+ bytes were lost with the engine +");
    int lost = Integer.parseInt(words.replaceAll("\\D", ""));
    assertThat(lost).isGreaterThan(1 << 20);
    assertThat(new String(told, gone, lost, StandardCharsets.UTF_8)).endsWith(" \n");
    assertThat(Arrays.copyOfRange(told, gone + lost, all.length))
        .isEqualTo(Arrays.copyOfRange(all, gone + lost, all.length));
    assertThat(engine.logText()).endsWith("1000000\non\n");
  }

  private static long occupied(Path file) {
    try {
      Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
      return 512
          * Long.parseLong(
              new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void start(Duration lease, WorkDocument document) throws Exception {
    engine = new TestEngine(certificate, lease, document);
    transport = AgentTransport.open(engine.uri(), certificate.sha256());
    agent =
        Agent.start(
            new AgentOptions(
                new AgentBootstrap(NODE, engine.uri(), certificate.sha256(), TestEngine.TOKEN),
                home.resolve("agent"),
                List.of(TestWork.ADDRESS),
                runtime,
                transport,
                InstantSource.system()));
  }

  /** Takes the work to where its process is started. */
  private Map<String, String> run() {
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    Map<String, String> contract = TestWork.contract(engine.await(Status.Prepared.class).port());
    engine.desire(2, TestWork.desired(Step.RUN, contract));
    return contract;
  }
}
