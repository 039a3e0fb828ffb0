// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.agent.protocol.WorkDocument.TaskLaunch;
import dev.clustered.model.Workload;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RankCommandTest {

  @TempDir Path home;

  @Test
  void runsAScriptByItsFirstLineOrByTheShell() throws Exception {
    assertThat(prepare("one", script("echo hi")).arguments()).startsWith("/bin/sh").hasSize(2);
    List<String> direct = prepare("two", script("#!/usr/bin/env cat\n")).arguments();
    assertThat(direct).hasSize(1);
    assertThat(Path.of(direct.getFirst())).isExecutable();
  }

  @Test
  void startsAJvmWhoseClassPathIsLongerThanAnArgument() throws Exception {
    String odd = home.resolve("with space, \"quotes\" and \\").toString();
    String filler = (odd + File.pathSeparator).repeat(1_200_000 / odd.length());
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    TaskLaunch task =
        new TaskLaunch(
            java,
            filler + System.getProperty("java.class.path"),
            List.of("-Dodd=a b\"c\\d"),
            "no.such.Task",
            Optional.empty());
    RankCommand command =
        prepare(
            "three",
            new WorkDocument(
                Optional.empty(),
                Optional.of(task),
                Map.of(),
                Map.of(),
                Optional.empty(),
                List.of(),
                1,
                2));
    ProcessBuilder builder =
        new ProcessBuilder(command.arguments()).redirectErrorStream(true).directory(home.toFile());
    builder.environment().putAll(command.variables());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(output).contains("ClassNotFoundException: no.such.Task");
  }

  @Test
  void keepsInputOutOfTheCommandLine() throws Exception {
    TaskLaunch task =
        new TaskLaunch("java", "a.jar", List.of(), "a.Task", Optional.of("{\"secret\":1}"));
    RankCommand command =
        prepare(
            "four",
            new WorkDocument(
                Optional.empty(),
                Optional.of(task),
                Map.of(),
                Map.of(),
                Optional.empty(),
                List.of(),
                1,
                2));
    assertThat(command.toString()).doesNotContain("secret");
    assertThat(Path.of(command.variables().get("CLUSTERED_TASK_INPUT_FILE")))
        .hasContent("{\"secret\":1}");
    assertThat(Files.readString(Path.of(command.arguments().get(1).substring(1))))
        .isEqualTo("\"-cp\"\n\"a.jar\"\n\"dev.clustered.agent.worker.TaskMain\"\n");
  }

  private RankCommand prepare(String name, WorkDocument document) throws WorkFailure {
    WorkFiles files = new WorkFiles(home.resolve(name));
    files.create(document);
    files.fill(document);
    return RankCommand.prepare(document, files);
  }

  private static WorkDocument script(String text) {
    return new WorkDocument(
        Optional.of(new Workload.Script(text)),
        Optional.empty(),
        Map.of(),
        Map.of(),
        Optional.empty(),
        List.of(),
        1,
        2);
  }
}
