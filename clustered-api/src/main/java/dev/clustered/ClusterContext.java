// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterNotice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * What a rank knows of its cluster, read from the environment that every rank gets. Thread-safe.
 */
public final class ClusterContext {

  private static final long HEARTBEAT_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  private final ClusterId clusterId;
  private final int attempt;
  private final int rank;
  private final int size;
  private final String role;
  private final int roleRank;
  private final int roleSize;
  private final List<InetAddress> addresses;
  private final int port;
  private final int gpusPerNode;
  private final Optional<Path> progressFile;
  private final Optional<Path> noticeFile;
  private final Optional<Path> heartbeatFile;

  /** When the last heartbeat was written, by the clock of {@link System#nanoTime}. */
  private final AtomicLong lastHeartbeat = new AtomicLong(System.nanoTime() - HEARTBEAT_PAUSE);

  private ClusterContext(Map<String, String> environment) {
    clusterId = identity(text(environment, "CLUSTERED_CLUSTER_ID"));
    attempt = number(environment, "CLUSTERED_ATTEMPT");
    rank = number(environment, "CLUSTERED_RANK");
    size = number(environment, "CLUSTERED_SIZE");
    role = environment.getOrDefault("CLUSTERED_ROLE", "worker");
    roleRank = number(environment, "CLUSTERED_ROLE_RANK", rank);
    roleSize = number(environment, "CLUSTERED_ROLE_SIZE", size);
    addresses = addresses(text(environment, "CLUSTERED_ADDRESSES"));
    port = number(environment, "MASTER_PORT");
    gpusPerNode = number(environment, "CLUSTERED_GPUS_PER_NODE");
    progressFile = file(environment, "CLUSTERED_PROGRESS_FILE");
    noticeFile = file(environment, "CLUSTERED_NOTICE_FILE");
    heartbeatFile = file(environment, "CLUSTERED_HEARTBEAT_FILE");
    if (addresses.size() != size || rank < 0 || rank >= size) {
      throw new IllegalStateException(
          "the environment contradicts itself: rank %d, size %d, %d addresses"
              .formatted(rank, size, addresses.size()));
    }
  }

  /**
   * The context of this process.
   *
   * @throws IllegalStateException when this process is no rank of a cluster
   */
  public static ClusterContext current() {
    return from(System.getenv());
  }

  /**
   * The context in an environment.
   *
   * @throws IllegalStateException when a variable is missing or unusable, naming it
   */
  public static ClusterContext from(Map<String, String> environment) {
    return new ClusterContext(environment);
  }

  /** The cluster's identity. */
  public ClusterId clusterId() {
    return clusterId;
  }

  /** The number of this try at running the workload; the first is 1. */
  public int attempt() {
    return attempt;
  }

  /** This rank, 0 to size − 1. */
  public int rank() {
    return rank;
  }

  /** How many ranks there are. */
  public int size() {
    return size;
  }

  /** The name of this rank's role; {@code worker} in a cluster without roles. */
  public String role() {
    return role;
  }

  /** This rank among those of its role, 0 to the size of the role − 1. */
  public int roleRank() {
    return roleRank;
  }

  /** How many ranks have this rank's role. */
  public int roleSize() {
    return roleSize;
  }

  /** Whether this is rank 0. */
  public boolean leader() {
    return rank == 0;
  }

  /** The addresses of all ranks in rank order. */
  public List<InetAddress> addresses() {
    return addresses;
  }

  /** This rank's own address. */
  public InetAddress address() {
    return addresses.get(rank);
  }

  /** The address of rank 0. */
  public InetAddress leaderAddress() {
    return addresses.getFirst();
  }

  /** A port of the leader's address that is kept free for this attempt. */
  public int leaderPort() {
    return port;
  }

  /** GPUs of each rank. */
  public int gpusPerNode() {
    return gpusPerNode;
  }

  /**
   * Says how far the workload is, such as the step of its last checkpoint: what a restart policy
   * with progress goes by. Costs a small file; call it once a checkpoint, not once a step.
   *
   * @throws UncheckedIOException when the node's disk does not take it
   * @throws IllegalStateException when the environment names no file for it
   */
  public void progress(long step) {
    Path file =
        progressFile.orElseThrow(
            () -> new IllegalStateException("the variable CLUSTERED_PROGRESS_FILE is missing"));
    try {
      // Moved into place, so that it is read whole whenever this process ends.
      Path whole = Files.createTempFile(file.toAbsolutePath().getParent(), "progress", ".new");
      Files.writeString(whole, Long.toString(step));
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("the progress could not be written to " + file, e);
    }
  }

  /**
   * Says that the workload gets on: what a {@link dev.clustered.model.HangPolicy} with a heartbeat
   * goes by. Call it as often as you like, such as once a step: the file is written once a second
   * at most.
   *
   * @throws UncheckedIOException when the node's disk does not take it
   * @throws IllegalStateException when the environment names no file for it
   */
  public void heartbeat() {
    Path file =
        heartbeatFile.orElseThrow(
            () -> new IllegalStateException("the variable CLUSTERED_HEARTBEAT_FILE is missing"));
    long last = lastHeartbeat.get();
    long now = System.nanoTime();
    if (now - last < HEARTBEAT_PAUSE || !lastHeartbeat.compareAndSet(last, now)) {
      return;
    }
    try {
      Files.writeString(file, "1");
    } catch (IOException e) {
      throw new UncheckedIOException("the heartbeat could not be written to " + file, e);
    }
  }

  /**
   * What is known of an end to come: a stop, or a node that its backend takes back; the latest
   * where there are several. Reads a small file.
   *
   * @throws UncheckedIOException when the file is there and cannot be read
   */
  public Optional<ClusterNotice> notice() {
    return noticeFile.flatMap(NoticeFile::read);
  }

  /**
   * Has notices told, each once, on a daemon thread that looks for them five times a second.
   *
   * @param told called for each; what it throws ends the telling
   * @return ends the telling when closed
   */
  public AutoCloseable onNotice(Consumer<ClusterNotice> told) {
    Thread thread =
        new Thread(
            () -> {
              Optional<ClusterNotice> last = Optional.empty();
              try {
                while (true) {
                  Optional<ClusterNotice> now = notice();
                  if (!now.equals(last)) {
                    now.ifPresent(told);
                    last = now;
                  }
                  Thread.sleep(200);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "clustered-notices");
    thread.setDaemon(true);
    thread.start();
    return thread::interrupt;
  }

  private static Optional<Path> file(Map<String, String> environment, String variable) {
    return Optional.ofNullable(environment.get(variable))
        .filter(name -> !name.isEmpty())
        .map(Path::of);
  }

  private static String text(Map<String, String> environment, String variable) {
    String value = environment.get(variable);
    if (value == null || value.isEmpty()) {
      throw new IllegalStateException(
          "the variable "
              + variable
              + " is missing: this process is no rank of a cluster, or its environment was"
              + " cleared");
    }
    return value;
  }

  private static int number(Map<String, String> environment, String variable) {
    String value = text(environment, variable);
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalStateException(
          "the variable " + variable + " is no whole number; received: " + value, e);
    }
  }

  /** The same where an older node may not give it. */
  private static int number(Map<String, String> environment, String variable, int otherwise) {
    return environment.containsKey(variable) ? number(environment, variable) : otherwise;
  }

  private static ClusterId identity(String value) {
    try {
      return new ClusterId(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "the variable CLUSTERED_CLUSTER_ID is no identity; received: " + value, e);
    }
  }

  private static List<InetAddress> addresses(String list) {
    List<InetAddress> found = new ArrayList<>();
    for (String address : list.split(",", -1)) {
      found.add(literal(address));
    }
    return List.copyOf(found);
  }

  /** Never asks a name server: what is no literal is refused before. */
  private static InetAddress literal(String address) {
    try {
      if (address.indexOf(':') >= 0 || IPV4.matcher(address).matches()) {
        return InetAddress.getByName(address);
      }
    } catch (UnknownHostException e) {
      // Reported below together with what does not even look like an address.
    }
    throw new IllegalStateException(
        "the variable CLUSTERED_ADDRESSES has no address literal; received: " + address);
  }
}
