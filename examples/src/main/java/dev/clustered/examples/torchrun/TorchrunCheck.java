// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Whether the processes have learned what they should: all of them, to recognise the digits, and
 * the same. Immutable and thread-safe.
 *
 * @param processes what each process gave back, in the order of the nodes
 * @param expected how many processes there should be; 1 or more
 */
record TorchrunCheck(List<ProcessResult> processes, int expected) {
  private static final double LOWEST_ACCURACY = 0.9;

  TorchrunCheck {
    processes = List.copyOf(processes);
  }

  /** Checks the results of all nodes, in rank order. */
  static TorchrunCheck of(List<NodeResult> results, TorchrunOptions options) {
    return new TorchrunCheck(
        results.stream().flatMap(node -> node.processes().stream()).toList(),
        options.nodes() * options.processes());
  }

  /** The lowest share of test images recognised by any process, 0 to 1. */
  double accuracy() {
    return processes.stream().mapToDouble(ProcessResult::testAccuracy).min().orElse(0);
  }

  /** The fingerprints of all models, each once. */
  List<String> fingerprints() {
    return processes.stream().map(ProcessResult::fingerprint).distinct().toList();
  }

  /** A sentence for everything that is not as it should be. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    List<Integer> ranks = processes.stream().map(ProcessResult::processRank).toList();
    if (!ranks.equals(IntStream.range(0, expected).boxed().toList())) {
      problems.add(
          "the process ranks are %s, expected 0 to %d in this order"
              .formatted(ranks, expected - 1));
    }
    // Negated, so that a value that is no number is a problem too.
    if (!(accuracy() >= LOWEST_ACCURACY)) {
      problems.add(
          "a process recognises %s of the test images, expected at least %s"
              .formatted(accuracy(), LOWEST_ACCURACY));
    }
    if (fingerprints().size() > 1) {
      problems.add("the processes hold different models: " + fingerprints());
    }
    return problems;
  }
}
