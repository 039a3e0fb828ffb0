// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import dev.clustered.ClusterListener;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.WaitReason;
import java.util.Locale;
import java.util.stream.Collectors;

/** Shows what happens to a cluster as phases of the run. Thread-safe. */
public final class PhaseReporter implements ClusterListener {
  private final RunPrinter printer;

  /** Shows phases on this printer. */
  public PhaseReporter(RunPrinter printer) {
    this.printer = printer;
  }

  @Override
  public void on(ClusterEvent event) {
    switch (event) {
      case ClusterEvent.StateChanged changed ->
          printer.phase(lowerCase(changed.state()), changed.detail());
      case ClusterEvent.Waiting waiting -> printer.phase("waiting", reasons(waiting));
      case ClusterEvent.NodeReady ready ->
          printer.phase(
              "ready",
              "node %s, %d of %d".formatted(ready.node(), ready.readyNodes(), ready.size()));
      case ClusterEvent.FilesReceived files ->
          printer.phase(
              "files",
              "rank %d, %s of %s".formatted(files.rank(), files.received(), files.wanted()));
      case ClusterEvent.RankStarted started ->
          printer.phase(
              "started", "rank %d, process %d".formatted(started.rank(), started.processId()));
      case ClusterEvent.RankEnded ended ->
          printer.phase("ended", "rank %d, %s".formatted(ended.rank(), ended.end()));
      case ClusterEvent.AttemptFailed failed ->
          printer.phase(
              "failed",
              "attempt %d: %s; another one follows after %d ms"
                  .formatted(
                      failed.attempt(), failed.cause().message(), failed.pause().toMillis()));
      case ClusterEvent.SpareReady spare ->
          printer.phase("spare", "node %s, %d ready".formatted(spare.node(), spare.readySpares()));
      case ClusterEvent.Noticed noticed ->
          printer.phase(
              "notice", lowerCase(noticed.notice().kind()) + ": " + noticed.notice().message());
      case ClusterEvent.Verdict verdict ->
          printer.phase(
              "verdict",
              lowerCase(verdict.outcome())
                  + verdict.cause().map(PhaseReporter::because).orElse(""));
    }
  }

  private static String reasons(ClusterEvent.Waiting waiting) {
    return waiting.reasons().stream().map(WaitReason::toString).collect(Collectors.joining("; "));
  }

  private static String because(Cause cause) {
    return ": " + cause.message();
  }

  private static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
