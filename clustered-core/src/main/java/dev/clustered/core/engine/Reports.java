// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.core.lifecycle.RankReport;
import java.util.Optional;

/** Turns what an agent says into what the life cycle knows. */
final class Reports {

  private Reports() {}

  static Optional<RankReport> of(Status status) {
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
