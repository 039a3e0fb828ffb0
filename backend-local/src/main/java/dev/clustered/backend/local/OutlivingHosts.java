// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.AgentFile;
import dev.clustered.agent.AgentMain;
import dev.clustered.agent.DirectoryLock;
import dev.clustered.agent.OutlivingProcess;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts each agent in a JVM that outlives this one, and finds those that another program started.
 * The directory of the nodes is this program's alone until it closes. Thread-safe.
 *
 * <p>A node is on record before its agent is started, and its record says that it runs only once
 * the agents of its whole launch do. So of a program that was killed in a launch, the next one
 * finds either a launch of which any node is said to run, and that is whole, or one to be undone.
 */
final class OutlivingHosts implements AgentHosts {

  private static final Logger LOG = LoggerFactory.getLogger(OutlivingHosts.class);

  private static final Duration PERIOD = Duration.ofMillis(100);

  /** Agents that end hold the lock for a moment, to clear it away. */
  private static final Duration LONGEST_MOMENT = Duration.ofSeconds(1);

  private final Path root;
  private final DirectoryLock lock;
  private final List<OutlivingHost> watched = new CopyOnWriteArrayList<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread watch;

  private OutlivingHosts(Path root, DirectoryLock lock) {
    this.root = root;
    this.lock = lock;
    this.watch =
        Thread.ofPlatform().daemon().name("clustered-local-watch").start(this::watchUntilClosed);
  }

  /**
   * Hosts for agents whose directories lie below one, which is made when it is not there.
   *
   * @throws ClusterException when another program has it open, or it cannot be used
   */
  static OutlivingHosts open(Path root) {
    try {
      Path real = Directories.makePrivate(root).toRealPath();
      long deadline = System.nanoTime() + LONGEST_MOMENT.toNanos();
      Optional<DirectoryLock> lock = DirectoryLock.take(real);
      while (lock.isEmpty() && System.nanoTime() < deadline) {
        LockSupport.parkNanos(PERIOD.dividedBy(10).toNanos());
        lock = DirectoryLock.take(real);
      }
      return new OutlivingHosts(real, lock.orElseThrow(() -> inUse(root)));
    } catch (IOException e) {
      throw unusable(root, e);
    }
  }

  private static ClusterException inUse(Path root) {
    return new ClusterException(
        ErrorCode.INVALID_SETTING,
        "the directory %s of backend local is in use: another backend has its nodes there; close that one or give this one another directory"
            .formatted(root));
  }

  private static ClusterException unusable(Path root, IOException cause) {
    return new ClusterException(
        ErrorCode.INVALID_SETTING,
        "the directory %s of backend local cannot be used; give one that this program may write: %s"
            .formatted(root, cause),
        cause);
  }

  /** Where the directories of the nodes lie, by its one real name. */
  Path root() {
    return root;
  }

  /** Never one that an earlier program gave, of which nobody may know any more. */
  @Override
  public String instance(long number) {
    return "local-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  @Override
  public boolean outlive() {
    return true;
  }

  @Override
  public FoundNodes find() {
    try {
      FoundNodes found = FoundNodes.below(root);
      watched.addAll(found.running());
      return found;
    } catch (IOException e) {
      throw unusable(root, e);
    }
  }

  @Override
  public AgentHost start(NodeRecord node, AgentBootstrap bootstrap, Path directory)
      throws IOException {
    NodeRecords.write(directory, node);
    NodeRecords.force(root);
    AgentFile file =
        new AgentFile(bootstrap, directory, List.of(node.address()), false, Optional.of(root));
    Path birth = birth(directory);
    Files.write(birth, Json.mapper().writeValueAsBytes(file));
    Path arguments = directory.resolve("agent.arguments");
    Files.write(arguments, arguments(directory));
    OutlivingProcess process =
        OutlivingProcess.start(
            List.of(AgentJvm.java(), "@" + arguments, AgentMain.class.getName(), birth.toString()),
            directory,
            directory.resolve("agent.log"));
    OutlivingHost host = started(node, process, directory);
    watched.add(host);
    return host;
  }

  private static OutlivingHost started(NodeRecord node, OutlivingProcess process, Path directory)
      throws IOException {
    NodeRecord known = node.with(process);
    OutlivingHost host = new OutlivingHost(known, directory);
    try {
      NodeRecords.write(directory, known);
      return host;
    } catch (IOException | RuntimeException e) {
      host.close();
      throw e;
    }
  }

  /** By which an agent's JVM is known among all processes: it is one of its arguments. */
  static Path birth(Path directory) {
    return directory.resolve("agent.json");
  }

  /** What a killed JVM would leave elsewhere goes into the node's directory, or nowhere. */
  private static List<String> arguments(Path directory) {
    List<String> arguments = new ArrayList<>();
    arguments.add("-XX:-UsePerfData");
    arguments.add(AgentJvm.quoted("-Djna.tmpdir=" + directory));
    arguments.addAll(AgentJvm.arguments());
    return arguments;
  }

  private void watchUntilClosed() {
    try {
      while (!closing.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
        watched.removeIf(OutlivingHosts::ended);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean ended(OutlivingHost host) {
    try {
      return host.look();
    } catch (RuntimeException e) {
      LOG.warn("A node's agent could not be looked at node={}", host.record().node(), e);
      return false;
    }
  }

  /** Ends no agent: lets go of the directory, so that another program can have it. */
  @Override
  public void close() {
    closing.countDown();
    Waiting.forEndOf(watch);
    try {
      lock.close();
    } catch (IOException e) {
      LOG.warn("The lock's file may be left directory={}", root, e);
    }
  }
}
