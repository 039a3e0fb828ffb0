// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.core.engine.logs.AttemptsInput;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.core.engine.logs.MergedLogInput;
import dev.clustered.core.engine.logs.RankLogInput;
import dev.clustered.core.engine.logs.StoredLogStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** The logs of one cluster as a query wants them. Thread-safe. */
final class ClusterLogs implements AttemptsInput.Attempts {

  private final LogStore logs;
  private final ClusterRecord cluster;
  private final LogQuery query;

  private ClusterLogs(LogStore logs, ClusterRecord cluster, LogQuery query) {
    this.logs = logs;
    this.cluster = cluster;
    this.query = query;
  }

  static LogStream of(LogStore logs, ClusterRecord cluster, LogQuery query) {
    ClusterLogs all = new ClusterLogs(logs, cluster, query);
    int attempt = all.requireAttempt();
    all.requireRank(attempt);
    try {
      InputStream first = all.open(attempt, query.lastLines());
      boolean goesOn = query.follow() == LogQuery.Follow.UNTIL_END && query.attempt().isEmpty();
      return new StoredLogStream(
          goesOn ? new AttemptsInput(all, all.marker(), attempt, first) : first);
    } catch (IOException e) {
      throw new UncheckedIOException("the log of cluster " + cluster.id + " cannot be read", e);
    }
  }

  private AttemptsInput.Marker marker() {
    return query.rank().isPresent() ? AttemptsInput.Marker.NONE : AttemptsInput.Marker.LINE;
  }

  private int last() {
    return Math.max(1, cluster.life.attempt());
  }

  private int requireAttempt() {
    int attempt = query.attempt().orElse(last());
    if (attempt > last()) {
      throw new IllegalArgumentException(
          "cluster %s has had %d attempts; received attempt %d"
              .formatted(cluster.id, last(), attempt));
    }
    return attempt;
  }

  private void requireRank(int attempt) {
    int size = size(attempt);
    query
        .rank()
        .ifPresent(
            rank -> {
              if (rank < 0 || rank >= size) {
                throw new IllegalArgumentException(
                    "cluster %s has ranks 0 to %d; received rank %d"
                        .formatted(cluster.id, size - 1, rank));
              }
            });
  }

  /** An attempt before may have had more ranks; of those that it had not, there is nothing. */
  private int size(int attempt) {
    int now = cluster.life.ranks().size();
    return attempt == last() && now > 0 ? now : cluster.life.request().spec().nodes();
  }

  @Override
  public InputStream open(int attempt) throws IOException {
    return open(attempt, OptionalInt.empty());
  }

  private InputStream open(int attempt, OptionalInt lastLines) throws IOException {
    // Nothing more comes of an attempt that is over, nor of ranks that it had not.
    int ranks = cluster.life.ranks().size();
    boolean over = attempt < last() || query.rank().orElse(0) >= ranks;
    LogQuery.Follow follow = over ? LogQuery.Follow.NO : query.follow();
    if (query.rank().isPresent()) {
      return new RankLogInput(
          logs.log(cluster.id, attempt, query.rank().getAsInt()), follow, lastLines);
    }
    return new MergedLogInput(logs.logs(cluster.id, attempt, size(attempt)), follow, lastLines);
  }

  @Override
  public int next(int after, BooleanSupplier closed) throws InterruptedException {
    return cluster.awaitAttempt(after, closed);
  }

  @Override
  public void wake() {
    cluster.attemptsChanged();
  }
}
