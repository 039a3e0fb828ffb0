// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import dev.clustered.agent.process.SpawnFailure.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Finds the file that a command names, by the rules of execvp but with the child's own PATH. */
final class ExecutableLookup {
  /** What execvp takes when PATH is not set. */
  private static final String DEFAULT_PATH = "/bin:/usr/bin";

  private ExecutableLookup() {}

  /** Either a file or a failure. */
  sealed interface Result {
    record Found(Path file) implements Result {}

    record Failed(SpawnFailure failure) implements Result {}
  }

  static Result find(String name, Map<String, String> environment, Path directory) {
    if (name.indexOf('/') >= 0) {
      return judge(name, directory.resolve(name));
    }
    String path = environment.getOrDefault("PATH", DEFAULT_PATH);
    boolean refused = false;
    if (!name.isEmpty()) {
      for (String element : path.split(":", -1)) {
        Path candidate = directory.resolve(element).resolve(name);
        if (runnable(candidate)) {
          return new Result.Found(candidate);
        }
        refused |= Files.exists(candidate);
      }
    }
    return refused
        ? failed(Reason.NOT_EXECUTABLE, name, "is in PATH=" + path + " but may not be executed")
        : failed(Reason.MISSING, name, "is in no directory of PATH=" + path);
  }

  private static Result judge(String name, Path file) {
    if (runnable(file)) {
      return new Result.Found(file);
    }
    if (Files.isDirectory(file)) {
      return failed(Reason.NOT_EXECUTABLE, name, "is a directory");
    }
    return Files.exists(file)
        ? failed(Reason.NOT_EXECUTABLE, name, "may not be executed")
        : failed(Reason.MISSING, name, "does not exist as " + file);
  }

  private static boolean runnable(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }

  private static Result failed(Reason reason, String name, String what) {
    String advice =
        reason == Reason.MISSING
            ? ". Install it on the node, or give its full path or another PATH."
            : ". Give it the execute permission, or name another executable.";
    return new Result.Failed(
        new SpawnFailure(reason, "The executable '" + name + "' " + what + advice));
  }
}
