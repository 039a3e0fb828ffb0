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
    for (Path file : files(path)) {
      try {
        outcomes.add(ScenarioRun.of(file));
      } catch (ScenarioException e) {
        err.println(e.getMessage());
        outcomes.add(
            Outcome.refused(String.valueOf(file.getFileName()), String.valueOf(e.getMessage())));
      }
    }
    if (json) {
      out.println(OutcomeText.json(outcomes));
    } else {
      print(outcomes, out);
    }
    err.flush();
    out.flush();
    boolean unread = outcomes.stream().anyMatch(outcome -> outcome.error().isPresent());
    return unread ? 2 : outcomes.stream().allMatch(Outcome::met) ? 0 : 1;
  }

  private static void print(List<Outcome> outcomes, PrintStream out) {
    List<Outcome> read = outcomes.stream().filter(one -> one.error().isEmpty()).toList();
    read.forEach(outcome -> OutcomeText.lines(outcome).forEach(out::println));
    if (outcomes.size() > 1) {
      long met = read.stream().filter(one -> one.met() && one.expects()).count();
      long silent = read.stream().filter(one -> one.met() && !one.expects()).count();
      out.printf(
          "%d files: %d met, %d not met, %d could not be read%s%n",
          outcomes.size(),
          met,
          read.size() - met - silent,
          outcomes.size() - read.size(),
          silent == 0 ? "" : ", of %d nothing was expected".formatted(silent));
    }
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
