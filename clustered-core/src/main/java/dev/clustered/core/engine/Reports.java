// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.ObservedWork;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.core.lifecycle.RankReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns what an agent says into what the life cycle knows. */
final class Reports {

  private Reports() {}

  /** In the order in which they are to be known. */
  static List<RankReport> of(ObservedWork work) {
    List<RankReport> reports = new ArrayList<>();
    of(work.status()).ifPresent(reports::add);
    work.stillness().map(Reports::still).ifPresent(reports::add);
    return reports;
  }

  private static RankReport still(ObservedWork.Stillness still) {
    return new RankReport.Still(
        still.quiet(),
        still.idle(),
        still.late(),
        still.computed(),
        still
            .gpus()
            .map(
                gpus ->
                    new RankReport.Gpus(gpus.busy(), gpus.idle(), gpus.idleFor(), gpus.unseen())));
  }

  private static Optional<RankReport> of(Status status) {
    return switch (status) {
      case Status.Preparing preparing -> Optional.empty();
      case Status.Prepared prepared -> Optional.of(new RankReport.Prepared(prepared.port()));
      case Status.Joined joined -> Optional.of(new RankReport.Joined(joined.size(), joined.rank()));
      case Status.Running running -> Optional.of(new RankReport.Running(running.processId()));
      case Status.Exited exited ->
          Optional.of(
              new RankReport.Exited(
                  exited.end(), exited.at(), exited.killed(), exited.outOfMemory()));
      case Status.Finished finished ->
          Optional.of(
              new RankReport.Finished(
                  finished.end(),
                  finished.at(),
                  finished.killed(),
                  finished.outOfMemory(),
                  finished.step(),
                  finished.result()));
      case Status.Failed failed ->
          Optional.of(new RankReport.Failed(failed.code(), failed.message()));
    };
  }
}
