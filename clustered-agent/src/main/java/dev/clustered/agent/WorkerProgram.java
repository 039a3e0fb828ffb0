// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.Preamble;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A program among the files of a work that runs a class of ours, for what a launcher needs on a
 * node beside itself. It takes the JVM that the agent runs in and what the agent is made of.
 */
final class WorkerProgram {

  /** It waits most of its life; a launcher's own processes need the memory. */
  private static final List<String> JVM_ARGUMENTS =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m", "-cp");

  private WorkerProgram() {}

  static void write(WorkFiles files) throws IOException {
    StringBuilder arguments = new StringBuilder();
    for (String argument : JVM_ARGUMENTS) {
      arguments.append(argument).append('\n');
    }
    arguments.append(RankCommand.argumentFile(List.of(classPath())));
    Path argumentFile = files.file("worker.arguments");
    WorkFiles.write(argumentFile, arguments.toString().getBytes(StandardCharsets.UTF_8));
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String script =
        "#!/bin/sh\nexec %s %s \"$@\"\n"
            .formatted(quoted(java.toString()), quoted("@" + argumentFile));
    Path program = files.file(Preamble.WORKER);
    WorkFiles.write(program, script.getBytes(StandardCharsets.UTF_8));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }

  /** Class path and module path together: classes are looked up by name alone. */
  private static String classPath() {
    String classes = System.getProperty("java.class.path", "");
    String modules = System.getProperty("jdk.module.path", "");
    boolean both = !classes.isEmpty() && !modules.isEmpty();
    return classes + (both ? File.pathSeparator : "") + modules;
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
