// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.DesiredWork.Step;
import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.model.NodeId;
import dev.clustered.model.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AgentMainTest {

  @TempDir Path home;
  private TestEngine engine;
  private Process jvm;

  @BeforeEach
  void startAnAgentWithARank() throws Exception {
    TestCertificate certificate = TestCertificate.create(home);
    engine =
        new TestEngine(
            certificate,
            Duration.ofSeconds(30),
            TestWork.document(
                new Workload.Script("setsid sleep 1000 & echo $!; exec sleep 1000"), List.of()));
    Path file = home.resolve("agent.json");
    Files.write(
        file,
        Json.mapper()
            .writeValueAsBytes(
                new AgentFile(
                    new AgentBootstrap(
                        new NodeId("n1"), engine.uri(), certificate.sha256(), TestEngine.TOKEN),
                    home.resolve("agent"),
                    List.of(TestWork.ADDRESS),
                    true)));
    jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                AgentMain.class.getName(),
                file.toString())
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    engine.desire(1, TestWork.desired(Step.PREPARE, Map.of()));
    int port = engine.await(Status.Prepared.class).port();
    engine.desire(2, TestWork.desired(Step.RUN, TestWork.contract(port)));
  }

  @AfterEach
  void closeAll() {
    jvm.destroyForcibly();
    engine.close();
  }

  @Test
  void leavesNeitherProcessNorWorkWhenItsJvmIsKilled() throws Exception {
    long rank = engine.await(Status.Running.class).processId();
    long stray = stray();
    jvm.destroyForcibly();
    Eventually.until(() -> "rank " + rank + " ended", () -> ProcessHandle.of(rank).isEmpty());
    Eventually.until(() -> "stray " + stray + " ended", () -> ProcessHandle.of(stray).isEmpty());
    Eventually.until(() -> "directory removed", () -> Files.notExists(home.resolve("agent")));
  }

  @Test
  void endsWithItsStandardInputWhenToldTo() throws Exception {
    long rank = engine.await(Status.Running.class).processId();
    jvm.getOutputStream().close();
    assertThat(jvm.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(jvm.exitValue()).isZero();
    assertThat(ProcessHandle.of(rank)).isEmpty();
    assertThat(home.resolve("agent")).doesNotExist();
  }

  @Test
  void exitsWithZeroAndLeavesNothingWhenTheEngineDoesNotKnowIt() throws Exception {
    long rank = engine.await(Status.Running.class).processId();
    long stray = stray();
    engine.mode(TestEngine.Mode.FORGETFUL);
    assertThat(jvm.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(jvm.exitValue()).isZero();
    assertThat(ProcessHandle.of(rank)).isEmpty();
    assertThat(ProcessHandle.of(stray)).isEmpty();
    assertThat(home.resolve("agent")).doesNotExist();
  }

  private long stray() {
    Eventually.until(() -> "stray in the log", () -> engine.logText().endsWith("\n"));
    return Long.parseLong(engine.logText().trim());
  }
}
