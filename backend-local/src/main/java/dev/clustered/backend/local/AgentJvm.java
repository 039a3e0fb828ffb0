// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of an agent with a JVM of its own. Stateless. */
final class AgentJvm {

  private static final List<String> SMALL_JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Xshare:auto");

  private AgentJvm() {}

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** To be given by file, because class paths are long; a line each. */
  static List<String> arguments() {
    List<String> arguments = new ArrayList<>(SMALL_JVM);
    arguments.add("--enable-native-access=ALL-UNNAMED");
    arguments.add("-cp");
    arguments.add(quoted(System.getProperty("java.class.path")));
    return arguments;
  }

  static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
