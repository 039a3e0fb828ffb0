// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Plans for scenario files and prints what would be done, and why.
 *
 * <p>Arguments: the folder that the path is relative to, the path of a file or a folder, and {@code
 * true} for JSON. The exit status is 1 when an expectation of a file is not met, and 2 when a file
 * cannot be read.
 */
public final class PlanCommand {

  private PlanCommand() {}

  /** The program. */
  public static void main(String[] args) throws IOException {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) throws IOException {
    if (args.length < 2 || args[1].isBlank()) {
      err.println("Name a scenario file or a folder: mvn -q -Pplan -Dscenario=FILE");
      return 2;
    }
    Path path = Path.of(args[0]).resolve(args[1]);
    if (!Files.exists(path)) {
      err.println("There is no file " + path + "; name a scenario file or a folder of them");
      return 2;
    }
    if (files(path).isEmpty()) {
      err.println("There is no scenario file in " + path + ": their names end in .json");
      return 2;
    }
    boolean json = args.length > 2 && args[2].equals("true");
    List<Outcome> outcomes = new ArrayList<>();
    int unread = 0;
    for (Path file : files(path)) {
      try {
        outcomes.add(ScenarioRun.of(file));
      } catch (ScenarioException e) {
        err.println(e.getMessage());
        unread++;
      }
    }
    long unmet = outcomes.stream().filter(outcome -> !outcome.unmet().isEmpty()).count();
    if (json) {
      out.println(OutcomeText.json(outcomes));
    } else {
      outcomes.forEach(outcome -> OutcomeText.lines(outcome).forEach(out::println));
      if (outcomes.size() + unread > 1) {
        out.printf(
            "%d files: %d met, %d not met, %d could not be read%n",
            outcomes.size() + unread, outcomes.size() - unmet, unmet, unread);
      }
    }
    out.flush();
    return unread > 0 ? 2 : unmet > 0 ? 1 : 0;
  }

  /** The scenario files of a folder in the order of their names, or the file itself. */
  static List<Path> files(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> files = Files.list(path)) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .filter(file -> !file.toString().endsWith(".schema.json"))
          .sorted()
          .toList();
    }
  }
}
