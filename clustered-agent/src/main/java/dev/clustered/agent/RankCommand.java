// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.Preamble;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.agent.protocol.WorkDocument.TaskLaunch;
import dev.clustered.agent.worker.TaskMain;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a rank is started, whatever its workload is.
 *
 * @param arguments the command
 * @param variables what it needs in its environment beside the contract
 */
record RankCommand(List<String> arguments, Map<String, String> variables) {

  /** Makes the command and the files that it needs. */
  static RankCommand prepare(WorkDocument document, WorkFiles files) throws WorkFailure {
    try {
      if (document.task().isPresent()) {
        return task(document.task().get(), files);
      }
      return switch (document.workload().orElseThrow(RankCommand::nothing)) {
        case Workload.Command command -> new RankCommand(command.arguments(), Map.of());
        case Workload.Script script -> script(script.text(), files);
        case Workload.Task task -> throw nothing();
      };
    } catch (IOException e) {
      throw new WorkFailure(
          ErrorCode.PREPARE_FAILED, "the node could not write the workload's files: " + e, e);
    }
  }

  /** The same with a launcher before it. */
  RankCommand after(Preamble preamble) {
    List<String> all = new ArrayList<>(preamble.arguments());
    all.addAll(arguments);
    return new RankCommand(all, variables);
  }

  private static RankCommand script(String text, WorkFiles files) throws IOException {
    Path script = files.file("script");
    WorkFiles.write(script, text.getBytes(StandardCharsets.UTF_8));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    List<String> command =
        text.startsWith("#!") ? List.of(script.toString()) : List.of("/bin/sh", script.toString());
    return new RankCommand(command, Map.of());
  }

  // A class path may be longer than any argument that Linux hands over, so it goes by file.
  private static RankCommand task(TaskLaunch task, WorkFiles files) throws IOException {
    List<String> arguments = new ArrayList<>(task.jvmArguments());
    arguments.add("-cp");
    arguments.add(task.classPath());
    arguments.add(TaskMain.class.getName());
    Path argumentFile = files.file("java.arguments");
    WorkFiles.write(argumentFile, argumentFile(arguments).getBytes(StandardCharsets.UTF_8));
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(ContractNames.TASK_CLASS, task.className());
    if (task.input().isPresent()) {
      Path input = files.file("input.json");
      WorkFiles.write(input, task.input().get().getBytes(StandardCharsets.UTF_8));
      variables.put(ContractNames.TASK_INPUT_FILE, input.toString());
    }
    return new RankCommand(List.of(task.java(), "@" + argumentFile), variables);
  }

  /** One argument a line, in the quotes and escapes that the java launcher reads. */
  static String argumentFile(List<String> arguments) {
    StringBuilder text = new StringBuilder();
    for (String argument : arguments) {
      text.append('"')
          .append(
              argument
                  .replace("\\", "\\\\")
                  .replace("\"", "\\\"")
                  .replace("\n", "\\n")
                  .replace("\r", "\\r")
                  .replace("\t", "\\t"))
          .append("\"\n");
    }
    return text.toString();
  }

  private static WorkFailure nothing() {
    return new WorkFailure(
        ErrorCode.PREPARE_FAILED, "the work document has neither command, script nor task launch");
  }
}
