// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.Cluster;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a rank has written. */
final class Logs {

  private Logs() {}

  /** The lines of one rank. */
  static List<String> of(Cluster cluster, int rank) {
    try (LogStream log = cluster.logs(LogQuery.ofRank(rank))) {
      return new String(log.bytes().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
