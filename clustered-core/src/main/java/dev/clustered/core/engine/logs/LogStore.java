// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The logs of all clusters of an engine, in one directory. Thread-safe. */
public final class LogStore implements AutoCloseable {

  private final Path directory;
  private final Map<Key, RankLog> open = new TreeMap<>();

  /** More than anybody reads, and less than the disk of a host has for its logs. */
  private static final ByteSize LIMIT = ByteSize.gibibytes(4);

  private final Map<ClusterId, Long> limits = new TreeMap<>();
  private boolean closed;

  /** Where one rank's log is. */
  private record Key(ClusterId cluster, int attempt, int rank) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byCluster = cluster.compareTo(other.cluster);
      int byAttempt = byCluster != 0 ? byCluster : Integer.compare(attempt, other.attempt);
      return byAttempt != 0 ? byAttempt : Integer.compare(rank, other.rank);
    }

    Path path(Path directory) {
      return directory
          .resolve(cluster.value())
          .resolve("attempt-" + attempt)
          .resolve("rank-" + rank + ".log");
    }
  }

  /** Logs below a directory. */
  public LogStore(Path directory) {
    this.directory = directory;
  }

  /** How much of each log of a cluster is kept; said before its first log is made. */
  public synchronized void limit(ClusterId cluster, ByteSize bytes) {
    limits.put(cluster, bytes.bytes());
  }

  /** The log of a rank, made when it is new. */
  public synchronized RankLog log(ClusterId cluster, int attempt, int rank) {
    if (closed) {
      throw new ClusterException(
          ErrorCode.ENGINE_CLOSED,
          "the engine is closed, and the logs of cluster %s with it; read them before, or keep them in a logDirectory"
              .formatted(cluster));
    }
    return open.computeIfAbsent(
        new Key(cluster, attempt, rank),
        key -> new RankLog(key.path(directory), limits.getOrDefault(cluster, LIMIT.bytes())));
  }

  /** Forgets a cluster that has ended: what is open of its logs is closed. */
  public void forget(ClusterId cluster) {
    List<RankLog> gone = new ArrayList<>();
    synchronized (this) {
      limits.remove(cluster);
      open.entrySet()
          .removeIf(log -> log.getKey().cluster().equals(cluster) && gone.add(log.getValue()));
    }
    for (RankLog log : gone) {
      try {
        log.close();
      } catch (IOException e) {
        throw new UncheckedIOException("the log " + log.files().file() + " cannot be closed", e);
      }
    }
  }

  /** Where the logs of a cluster lie. */
  public Path directory(ClusterId cluster) {
    return directory.resolve(cluster.value());
  }

  /** The logs of all ranks of an attempt, in rank order. */
  public List<RankLog> logs(ClusterId cluster, int attempt, int size) {
    return IntStream.range(0, size).mapToObj(rank -> log(cluster, attempt, rank)).toList();
  }

  /** The logs of an attempt that somebody writes or reads, of ranks that it has not as well. */
  public synchronized List<RankLog> opened(ClusterId cluster, int attempt) {
    return open.entrySet().stream()
        .filter(log -> log.getKey().cluster().equals(cluster) && log.getKey().attempt() == attempt)
        .map(Map.Entry::getValue)
        .toList();
  }

  @Override
  public synchronized void close() {
    closed = true;
    for (RankLog log : open.values()) {
      try {
        log.close();
      } catch (IOException e) {
        throw new UncheckedIOException("the log " + log.files().file() + " cannot be closed", e);
      }
    }
    open.clear();
  }
}
